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

/** Further types of activities. They are taken, too, but not listed: agents read the list of tools at each start. */
export const alsoTaken: ReadonlySet<unknown> = new Set([
  ...['marketplace_subscription', 'migrate_marketplace_billing_details_in'],
  ...['migrate_marketplace_billing_details_out', 'organization_member_update_roles'],
  ...['organization_member_update_mfa_method', 'organization_member_remove_roles'],
  ...['organization_saml_connection_create', 'organization_saml_connection_update'],
  ...['organization_saml_connection_delete', 'organization_update_spend_alert'],
  ...['organization_update_core_dumps', 'organization_update_private_endpoints'],
  ...['organization_update_pci_compliance', 'organization_update_hipaa_status'],
  ...['service_update_max_allowable_replicas', 'service_update_gpt_usage_consent'],
  ...['service_import_to_organization', 'service_export_from_organization'],
  ...['service_update_core_dump', 'service_update_autoscaling_schedule'],
  ...['service_update_query_endpoints', 'service_update_direct_connection'],
  ...['service_update_sql_console_jwt_auth', 'service_update_snapshot_configuration'],
  ...['service_update_collector_ip_access_list', 'service_update_mysql_interface'],
  ...['service_update_upgrade_window', 'service_delete_upgrade_window'],
  ...['service_trigger_failover', 'service_trigger_recovery', 'service_mcp_enabled'],
  ...['service_mcp_disabled', 'service_scaled_down_for_tier_change'],
  ...['service_encryption_key_check_failed', 'service_encryption_key_rotation_failed'],
  ...['service_encryption_key_rotated', 'service_stop_encryption_key_inaccessible'],
  ...['service_restart_encryption_key_rotation', 'backup_bucket_create'],
  ...['backup_bucket_update', 'backup_bucket_delete', 'backup_bucket_archive'],
  ...['warehouse_update_name', 'warehouse_update_release_channel', 'role_create'],
  ...['role_update', 'role_delete', 'role_resources_delete', 'scim_user_profile_update'],
  ...['scim_group_create', 'scim_group_update', 'scim_group_delete'],
  ...['datadog_integration_create', 'datadog_integration_delete', 'transfer_credits_in'],
  ...['transfer_credits_out', 'promo_code_claim', 'schema_advisor_seed'],
  ...['schema_advisor_generate_plan', 'schema_advisor_approve_plan'],
  ...['schema_advisor_start_deployment', 'schema_advisor_start_benchmark'],
  ...['schema_advisor_run_benchmark', 'schema_advisor_start_promotion'],
  ...['schema_advisor_exchange_tables', 'schema_advisor_drop_sandbox', 'udf_create'],
  ...['udf_update', 'udf_delete', 'udf_version_create', 'udf_version_delete'],
  ...['udf_attach', 'udf_detach', 'udf_update_services', 'udf_redeploy', 'udf_rebuild'],
]);

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
