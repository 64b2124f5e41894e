import * as z from 'zod/mini'

/* The parts of a Keycloak export that are imported. Other fields are kept by `looseObject`, to be reported. */

const texts = z._default(z.array(z.string()), [])
const textsByName = z._default(z.record(z.string(), z.array(z.string())), {})
/** Lists of texts; older exports and those of other tools have single texts. */
const attributes = z._default(z.record(z.string(), z.unknown()), {})

const Composites = z.looseObject({ realm: texts, client: textsByName })
const Role = z.looseObject({
  name: z.string(),
  description: z.optional(z.string()),
  composites: z._default(Composites, { realm: [], client: {} }),
})

export interface Group {
  name: string
  description?: string | undefined
  realmRoles: string[]
  clientRoles: Record<string, string[]>
  subGroups: Group[]
}
const Group: z.ZodMiniType<Group> = z.looseObject({
  name: z.string(),
  description: z.optional(z.string()),
  realmRoles: texts,
  clientRoles: textsByName,
  get subGroups() {
    return z._default(z.array(Group), [])
  },
}) as never

export const Credential = z.looseObject({
  type: z.string(),
  /** JSON text. */
  secretData: z.optional(z.string()),
  /** JSON text. */
  credentialData: z.optional(z.string()),
  /** Until Keycloak 7, a hash by PBKDF2 and its salt in base64, in place of the JSON texts. */
  hashedSaltedValue: z.optional(z.string()),
  salt: z.optional(z.string()),
  hashIterations: z.optional(z.number()),
  algorithm: z.optional(z.string()),
  /** A password in plain text, which Keycloak hashes when it imports the file. */
  value: z.optional(z.string()),
})
export type Credential = z.infer<typeof Credential>

const User = z.looseObject({
  id: z.optional(z.string()),
  username: z.string(),
  email: z.optional(z.string()),
  emailVerified: z._default(z.boolean(), false),
  enabled: z._default(z.boolean(), true),
  firstName: z.optional(z.string()),
  lastName: z.optional(z.string()),
  attributes,
  credentials: z._default(z.array(Credential), []),
  realmRoles: texts,
  clientRoles: textsByName,
  groups: texts,
  serviceAccountClientId: z.optional(z.string()),
  federatedIdentities: z._default(
    z.array(z.looseObject({ identityProvider: z.string(), userId: z.string(), userName: z.optional(z.string()) })),
    [],
  ),
})
export type User = z.infer<typeof User>

const Organization = z.looseObject({
  name: z.string(),
  alias: z.optional(z.string()),
  enabled: z._default(z.boolean(), true),
  domains: z._default(z.array(z.looseObject({ name: z.string(), verified: z._default(z.boolean(), false) })), []),
  members: z._default(z.array(z.looseObject({ username: z.string() })), []),
})

/** Removes the members and elements that are null: they mean the same as missing ones. */
export function removeNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((element) => element !== null).map(removeNulls)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, removeNulls(member)]))
}

export const Realm = z.looseObject({
  realm: z.string(),
  roles: z._default(
    z.looseObject({
      realm: z._default(z.array(Role), []),
      client: z._default(z.record(z.string(), z.array(Role)), {}),
    }),
    { realm: [], client: {} },
  ),
  groups: z._default(z.array(Group), []),
  users: z._default(z.array(User), []),
  organizations: z._default(z.array(Organization), []),
  identityProviders: z._default(
    z.array(
      z.looseObject({ alias: z.string(), config: z._default(z.looseObject({ issuer: z.optional(z.string()) }), {}) }),
    ),
    [],
  ),
})
export type Realm = z.infer<typeof Realm>

/** The fields that the conversion reads, or that only describe the export itself. */
export const readFields = {
  realm: new Set(['id', 'realm', 'roles', 'groups', 'users', 'organizations', 'identityProviders', 'keycloakVersion']),
  role: new Set(['id', 'name', 'description', 'composite', 'composites', 'clientRole', 'containerId']),
  group: new Set(['id', 'name', 'path', 'parentId', 'description', 'realmRoles', 'clientRoles', 'subGroups']),
  organization: new Set(['id', 'name', 'alias', 'enabled', 'domains', 'members']),
  user: new Set([
    'id',
    'username',
    'email',
    'emailVerified',
    'enabled',
    'firstName',
    'lastName',
    'attributes',
    'credentials',
    'realmRoles',
    'clientRoles',
    'groups',
    'federatedIdentities',
    'disableableCredentialTypes',
    'totp',
  ]),
}
