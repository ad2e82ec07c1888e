import type { JsonObject } from './protocol.ts';

/**
 * The words that an argument of a tool may have, although it is a String in the schema: GraphQL passes on the new words of
 * upstreams, but a mistyped one must not look as if nothing was found. From the public description of ClickHouse Cloud.
 */
const activityTypes = [
  ...['create_organization', 'delete_organization', 'organization_update_name'],
  ...['transfer_service_in', 'transfer_service_out', 'save_payment_method'],
  ...['organization_update_tier', 'organization_invite_create', 'organization_invite_delete'],
  ...['organization_member_join', 'organization_member_add', 'organization_member_leave'],
  ...['organization_member_delete', 'organization_member_update_role', 'user_login'],
  ...['user_login_failed', 'user_logout', 'key_create', 'key_delete', 'key_update'],
  ...['openapi_key_update', 'service_create', 'service_start', 'service_stop', 'service_awaken'],
  ...['service_idle', 'service_running', 'service_partially_running', 'service_delete'],
  ...['service_update_name', 'service_update_ip_access_list', 'service_update_password'],
  ...['service_update_autoscaling_memory', 'service_update_autoscaling_idling'],
  ...['service_update_autoscaling_replicas', 'service_update_backup_configuration'],
  ...['service_restore_backup', 'service_update_release_channel', 'service_upgrade'],
  ...['service_update_private_endpoints', 'service_maintenance_start', 'service_maintenance_end'],
  ...['backup_delete', 'clickpipe_create'],
];

const backupStatuses = ['done', 'error', 'in_progress'];

/** By tool and argument. */
const known: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  list_activities: { typeIn: activityTypes },
  list_backups: { statusIn: backupStatuses },
  list_backups_of_service: { statusIn: backupStatuses },
  list_api_keys: { stateIn: ['enabled', 'disabled'] },
};

/** The JSON Schema of an argument with the words that it takes, and with at least 1 for the length of a list. */
export const withWords = (tool: string, argument: string, schema: JsonObject): JsonObject => {
  const words = known[tool]?.[argument];
  if (words) return { ...schema, items: { type: 'string', enum: words } };
  return argument === 'first' ? { ...schema, minimum: 1 } : schema;
};
