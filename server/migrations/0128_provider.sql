-- The notices of a client that is disabled wait until it is enabled, at most as long as its sessions last.
alter table logout_notices add column created_at timestamptz not null default now();

create view disabled_clients as select client_id from clients where not enabled and deleted_at is null;
