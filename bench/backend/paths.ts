/** The REST paths that the operations need; the identifiers go in as they are. */
export const paths = {
  organization: (organizationId: string) => `/v1/organizations/${organizationId}`,
  invitations: (organizationId: string) => `/v1/organizations/${organizationId}/invitations`,
  service: (organizationId: string, serviceId: string) =>
    `/v1/organizations/${organizationId}/services/${serviceId}`,
  pipes: (organizationId: string, serviceId: string) =>
    `/v1/organizations/${organizationId}/services/${serviceId}/pipes`,
  backupConfiguration: (organizationId: string, serviceId: string) =>
    `/v1/organizations/${organizationId}/services/${serviceId}/backupConfiguration`,
  alerts: '/api/v2/alerts',
  alert: (id: string) => `/api/v2/alerts/${id}`,
  dashboards: '/api/v2/dashboards',
  dashboard: (id: string) => `/api/v2/dashboards/${id}`,
} as const;
