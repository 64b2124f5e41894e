-- A dump is restored with an empty search_path, in which functions that name tables and other functions without their schema
-- fail. The body of an SQL function becomes a parsed one, which refers to objects, and is still inlined. A function in
-- PL/pgSQL, which is never inlined, sets search_path to the schema of the tables: a migration runs with that setting.
do $$
declare
  name text;
  body text;
begin
  foreach name in array array[
    'plain_text', 'words_of', 'format_instant', 'settled_before', 'words_of_user', 'user_words_matching', 'users_by_words',
    'words_of_group', 'group_words_matching', 'groups_by_words', 'part_in_group', 'has_role', 'has_global_role', 'roles_of_event',
    'deleter_of', 'begin_relationship_epoch', 'relationship_terms', 'relationships_from', 'relationships_towards', 'holds',
    'mapping_source', 'grants_counted_at', 'grants_recorded_at', 'subscription_of_event', 'used_quantity', 'actor_as_json',
    'content_name', 'add_buckets'] loop
    select prosrc into strict body from pg_proc where oid = name::regproc;
    execute replace(pg_get_functiondef(name::regproc),
      'AS $function$' || body || '$function$', E'begin atomic\n' || body || E';\nend');
  end loop;
end $$;

alter function count_or_estimate set search_path from current;
alter function change_time set search_path from current;
alter function add_user_words set search_path from current;
alter function replace_user_words set search_path from current;
alter function notify_clients_changed set search_path from current;
alter function count_people_version set search_path from current;
alter function touch_org_people set search_path from current;
alter function touch_former_org_members set search_path from current;
alter function add_group_words set search_path from current;
alter function replace_group_words set search_path from current;
alter function time_group_change set search_path from current;
alter function record_role_rename set search_path from current;
alter function count_role_members set search_path from current;
alter function role_members_after set search_path from current;
alter function notify_logout set search_path from current;
alter function notify_device set search_path from current;
alter function reject_audit_change set search_path from current;
alter function purge_audit_events set search_path from current;
alter function record_event_roles set search_path from current;
alter function notify_mail set search_path from current;
alter function relationship_origin set search_path from current;
alter function relationship_commit set search_path from current;
alter function number_relationship_commit set search_path from current;
alter function set_commit_actor set search_path from current;
alter function exceeds_relationship_log set search_path from current;
alter function reject_relationship_change set search_path from current;
alter function log_directory_object set search_path from current;
alter function sweep_relationship_log set search_path from current;
alter function log_stored_relationships set search_path from current;
alter function log_org_members set search_path from current;
alter function log_group_members set search_path from current;
alter function log_group_owners set search_path from current;
alter function log_role_members set search_path from current;
alter function log_group_roles set search_path from current;
alter function relationships_out set search_path from current;
alter function relationships_in set search_path from current;
alter function relationships_at set search_path from current;
alter function notify_identity_apis_changed set search_path from current;
alter function notify_tenants_changed set search_path from current;
alter function reject_ledger_change set search_path from current;
alter function record_entitlement set search_path from current;
alter function record_grant set search_path from current;
alter function record_grants_of_org set search_path from current;
alter function notify_contents_changed set search_path from current;
alter function notify_branding_changed set search_path from current;
alter function notify_cors_origins_changed set search_path from current;
alter function notify_client_token_ended set search_path from current;
alter function notify_demo_users_changed set search_path from current;
