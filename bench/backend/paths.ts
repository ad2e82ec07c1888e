/** The REST paths that the operations need; the identifiers go in as they are. */
export const paths = {
  organizations: '/v1/organizations',
  organization: (organizationId: string) => `/v1/organizations/${organizationId}`,
  invitations: (organizationId: string) => `/v1/organizations/${organizationId}/invitations`,
  services: (organizationId: string) => `/v1/organizations/${organizationId}/services`,
  service: (organizationId: string, serviceId: string) =>
    `/v1/organizations/${organizationId}/services/${serviceId}`,
  pipes: (organizationId: string, serviceId: string) =>
    `/v1/organizations/${organizationId}/services/${serviceId}/pipes`,
  pipe: (organizationId: string, serviceId: string, pipeId: string) =>
    `/v1/organizations/${organizationId}/services/${serviceId}/pipes/${pipeId}`,
  pipeState: (organizationId: string, serviceId: string, pipeId: string) =>
    `/v1/organizations/${organizationId}/services/${serviceId}/pipes/${pipeId}/state`,
  backupConfiguration: (organizationId: string, serviceId: string) =>
    `/v1/organizations/${organizationId}/services/${serviceId}/backupConfiguration`,
  alerts: '/api/v2/alerts',
  alert: (id: string) => `/api/v2/alerts/${id}`,
  dashboards: '/api/v2/dashboards',
  dashboard: (id: string) => `/api/v2/dashboards/${id}`,
} as const;
