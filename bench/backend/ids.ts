/** Identifiers of what the backend holds; the operations' variables are made of them. */
export const organizationId = '5b1f0000-0000-4000-8000-000000000001';
export const serviceId = '5b1f0000-0000-4000-8000-000000000101';

const digits = (value: number, width: number): string => value.toString(16).padStart(width, '0');

export const pipeId = (index: number): string => `5b1f0000-0000-4000-8000-${digits(index, 12)}`;
export const invitationId = (index: number): string =>
  `5b1f0000-0000-4000-9000-${digits(index, 12)}`;
export const alertId = (index: number): string => `a1e7${digits(index, 20)}`;
export const dashboardId = (index: number): string => `da5b${digits(index, 20)}`;
