-- The tenant of Microsoft Entra that belongs to an organisation.
create table entra_connections (
  org_id text primary key references orgs (id) on delete cascade,
  -- The tenant belongs to an organisation until the organisation is purged from the trash.
  tenant_id uuid not null unique,
  -- The id of a cloud in the configuration, such as `AzurePublic`.
  cloud text not null,
  -- The names of the tenant at Microsoft, as of the last look.
  display_name text not null,
  default_domain text,
  -- Consent is `granted` only by an app-only token of the tenant and its `GET /organization`.
  consent text not null default 'pending' check (consent in ('none', 'pending', 'granted', 'revoked')),
  consented_at timestamptz(3),
  sign_in_enabled boolean not null default false,
  -- The last successful test sign-in since the last change of what it tested; null requires another one.
  tested_at timestamptz(3),
  -- Guests of the tenant may sign in.
  allow_guests boolean not null default false,
  -- What the groups and app roles of the tenant grant: objects with groupObjectId or appRole, and groupId or role.
  mappings jsonb not null default '[]'
);

-- A link that asks an administrator of the tenant for consent. A used or replaced link stays until it expires, so that
-- its response can be explained.
create table entra_consent_links (
  -- SHA-256 of the state.
  state_hash text primary key,
  org_id text not null references orgs (id) on delete cascade,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  -- When a newer link replaced this one.
  replaced_at timestamptz(3)
);

create index entra_consent_links_org on entra_consent_links (org_id);
create index entra_consent_links_by_expiry on entra_consent_links (expires_at);

-- The groups and app roles of a login at its last sign-in, from which changed mappings are evaluated again.
create table entra_claims (
  login_id text primary key references logins (id) on delete cascade,
  org_id text not null references orgs (id) on delete cascade,
  groups uuid[] not null default '{}',
  roles text[] not null default '{}',
  evaluated_at timestamptz(3) not null default now()
);

create index entra_claims_org on entra_claims (org_id);

-- What a user has by a mapping only. Manual memberships and roles have no row here and outlast the mapping.
create table entra_grants (
  org_id text not null references orgs (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  kind text not null check (kind in ('group', 'role')),
  -- A group id, or the name of a role.
  target text not null,
  granted_at timestamptz(3) not null default now(),
  primary key (org_id, user_id, kind, target)
);

create index entra_grants_user on entra_grants (user_id, kind, target);
create index entra_grants_target on entra_grants (kind, target);
