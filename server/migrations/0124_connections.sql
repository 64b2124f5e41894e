-- Whether the service has rejected the request of a connection, so that the next start leaves out what it may not know.
alter table pending_connections add column is_refused boolean not null default false;
