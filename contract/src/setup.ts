import * as z from 'zod/mini'
import { UserAgent } from './accounts.ts'
import { endpoint, json } from './endpoint.ts'
import { ConsentLink } from './entra.ts'
import { exactlyOne } from './exactly-one.ts'
import { Instant } from './instant.ts'
import { linkHeaders } from './join.ts'
import { EntraMapping, maxMappings, OrgEntra } from './org-entra.ts'
import { action, entity } from './request-body.ts'
import { CreatedScimToken, NewScimToken, Provisioning, ScimToken } from './scim.ts'

/** How long a set-up link can be opened and, once it is, used. */
export const setupHours = 24
/** An organisation has at most this many live set-up links. */
export const maxSetupLinks = 3

/**
 * A link by which an administrator of a customer sets up their organisation, without an account here. Its URL is
 * returned once, on creation, and is not stored.
 */
const SetupLink = z
  .object({
    id: z.string(),
    /** `ended` by enabling sign-in through the tenant, or by deleting the organisation. */
    status: z.enum(['open', 'opened', 'expired', 'revoked', 'ended']),
    createdAt: Instant,
    createdBy: z.object({ id: z.string(), name: z.string() }),
    /** The end of its use: before it is opened, the time until which it can be. */
    expiresAt: Instant,
    /** The browser that opened it, which is the only one that can use it. */
    opened: z.nullable(z.object({ at: Instant, ip: z.string(), userAgent: UserAgent })),
    endedAt: z.nullable(Instant),
    /** The SCIM tokens that its browser has created. They outlive the link, unless it is revoked with them. */
    scimTokens: z.array(ScimToken),
    /** Its browser has changed mappings or the setting for guests, which stay. */
    hasChangedSettings: z.boolean(),
  })
  .check(z.meta({ id: 'SetupLink' }))
export type SetupLink = z.infer<typeof SetupLink>

const CreatedSetupLink = z.object({ ...SetupLink.shape, url: z.url() }).check(z.meta({ id: 'CreatedSetupLink' }))
export type CreatedSetupLink = z.infer<typeof CreatedSetupLink>

const orgParams = z.object({ orgId: z.string() })
const createOptions = {
  recent: true,
  params: orgParams,
  returns: json(CreatedSetupLink),
  creates: true,
  rateLimit: { requests: 60, perSeconds: 3600, by: 'caller' },
  fails: [404, 409],
} as const
/** Fails with 409 `setup-link-limit` if the organisation has three live links. */
export const createSetupLink = endpoint('POST', '/passport/admin/orgs/{orgId}/setuplinks', {
  summary: 'Create a set-up link for an organisation',
  description: 'The link works in the first browser that opens it, for 24 hours. The URL is returned only here.',
  access: 'admin',
  ...createOptions,
})
export const createOwnSetupLink = endpoint('POST', '/passport/orgs/{orgId}/setuplinks', {
  summary: 'Create a set-up link for an organisation the caller owns',
  description: 'The link works in the first browser that opens it, for 24 hours. The URL is returned only here.',
  access: 'signedIn',
  ...createOptions,
})

const listOptions = { polled: true, params: orgParams, returns: json(z.array(SetupLink)), fails: [404] } as const
export const listSetupLinks = endpoint('GET', '/passport/admin/orgs/{orgId}/setuplinks', {
  summary: 'List set-up links of an organisation',
  description: 'Lists the last 20, newest first.',
  access: 'admin',
  ...listOptions,
})
export const listOwnSetupLinks = endpoint('GET', '/passport/orgs/{orgId}/setuplinks', {
  summary: 'List set-up links of an organisation the caller owns',
  description: 'Lists the last 20, newest first.',
  access: 'signedIn',
  ...listOptions,
})

const revokeOptions = {
  params: z.object({ orgId: z.string(), linkId: z.string() }),
  query: z.object({ withScimTokens: z.optional(z.stringbool()) }),
  returns: json(SetupLink),
  fails: [404],
} as const
const revokeDescription =
  'The browser that opened it loses its access at once, and a consent link that it created ends. `withScimTokens=true` revokes the SCIM tokens that it created too, also those of a link that is no longer live. Returns the link with them.'
/** Idempotent: revoking a link that is not live succeeds. */
export const revokeSetupLink = endpoint('DELETE', '/passport/admin/orgs/{orgId}/setuplinks/{linkId}', {
  summary: 'Revoke a set-up link',
  description: revokeDescription,
  access: 'admin',
  ...revokeOptions,
})
export const revokeOwnSetupLink = endpoint('DELETE', '/passport/orgs/{orgId}/setuplinks/{linkId}', {
  summary: 'Revoke a set-up link of an organisation the caller owns',
  description: revokeDescription,
  access: 'signedIn',
  ...revokeOptions,
})

/** A mapping to a group of the organisation: the only kind that a set-up link reads and changes. */
const SetupMapping = z
  .object({
    groupObjectId: EntraMapping.shape.groupObjectId,
    appRole: EntraMapping.shape.appRole,
    groupId: z.string().check(z.minLength(1), z.maxLength(100)),
  })
  .check(exactlyOne('groupObjectId', 'appRole'), z.meta({ id: 'SetupMapping' }))
export type SetupMapping = z.infer<typeof SetupMapping>

/** A group that mappings of a set-up link may have as target: of the organisation, and without roles. */
const SetupGroup = z.object({ id: z.string(), name: z.string() })

/** What the holder of a set-up link sees: the organisation with its tenant, and how far its set-up is. */
const SetupState = z
  .object({
    org: z.object({ id: z.string(), name: z.string() }),
    /** The brand of the organisation, or else of the installation. */
    brand: z.object({ name: z.string(), logoUrl: z.nullable(z.string()) }),
    /** When the access of this browser ends. */
    expiresAt: Instant,
    tenant: z.object({
      tenantId: OrgEntra.shape.tenantId,
      cloud: OrgEntra.shape.cloud,
      displayName: OrgEntra.shape.displayName,
      defaultDomain: OrgEntra.shape.defaultDomain,
      consent: OrgEntra.shape.consent,
      signInEnabled: OrgEntra.shape.signInEnabled,
      consentedAt: OrgEntra.shape.consentedAt,
      consentLinkExpiresAt: OrgEntra.shape.consentLinkExpiresAt,
      consentFailure: OrgEntra.shape.consentFailure,
      testedAt: OrgEntra.shape.testedAt,
      allowGuests: OrgEntra.shape.allowGuests,
    }),
    mappings: z.array(SetupMapping),
    /** The number of other mappings, which only administrators see and change. */
    otherMappings: z.int(),
    groups: z.array(SetupGroup),
    /** The address and the tokens of SCIM; of those that administrators created, the creator is null. */
    provisioning: z.object({ url: Provisioning.shape.url, tokens: Provisioning.shape.tokens }),
    /** The version of the organisation, for If-Match. */
    version: z.int(),
  })
  .check(z.meta({ id: 'SetupState' }))
export type SetupState = z.infer<typeof SetupState>

/** The state after a link was opened. */
const OpenedSetup = z
  .object({
    ...SetupState.shape,
    /** The link had been opened in this browser before. */
    isReopened: z.boolean(),
  })
  .check(z.meta({ id: 'OpenedSetup' }))
export type OpenedSetup = z.infer<typeof OpenedSetup>

/** The settings that the holder of a set-up link replaces. */
const SetupSettings = z.object({
  allowGuests: z.boolean(),
  mappings: z.array(SetupMapping).check(z.maxLength(maxMappings)),
})
export type SetupSettings = z.infer<typeof SetupSettings>

/**
 * Exchanges the token of a link, of which only the first browser can make use, for a cookie of that browser; the same
 * browser may send it again. Fails with 404 `setup-link-unknown`, and with 410 `setup-link-used`, `setup-link-expired`,
 * `setup-link-revoked` or `setup-link-ended`.
 */
export const openSetupLink = endpoint('POST', '/passport/setup/open', {
  summary: 'Open a set-up link in this browser',
  access: 'anyone',
  body: action(z.object({ token: z.string().check(z.maxLength(200)) })),
  returns: json(OpenedSetup),
  rateLimit: { requests: 30, perSeconds: 60, by: 'address', sharedAs: 'setup' },
  headers: linkHeaders,
  fails: [404, 410],
})

const setup = { access: 'setup', headers: linkHeaders } as const
/** For a page that waits for the consent. */
export const getSetup = endpoint('GET', '/passport/setup', {
  summary: 'Get the state of the set-up',
  returns: json(SetupState),
  fails: [410],
  ...setup,
})
export const createSetupConsentLink = endpoint('POST', '/passport/setup/consentlink', {
  summary: 'Create a consent link for the tenant, by a set-up link',
  description: 'Ends the former consent link.',
  returns: json(ConsentLink),
  rateLimit: { requests: 60, perSeconds: 3600, by: 'caller' },
  fails: [409, 410],
  ...setup,
})
/** Mappings to roles and to groups of others stay as they are. If-Match is compared with the version of the organisation. */
export const putSetupSettings = endpoint('PUT', '/passport/setup/settings', {
  summary: 'Replace the mappings to groups of the organisation',
  body: entity(SetupSettings),
  returns: json(SetupState),
  conditional: true,
  fails: [409, 410],
  ...setup,
})
/** The test ends on the page of the set-up, with `?test=passed`, or `?test=failed` with `code` and `support`. */
export const startSetupTest = endpoint('POST', '/passport/setup/testsignin', {
  summary: 'Start a test of the sign-in, by a set-up link',
  description: 'Returns the URL to open in the browser. The test creates no session, account or membership.',
  waitsForOthers: true,
  returns: json(z.object({ url: z.url() })),
  rateLimit: { requests: 60, perSeconds: 3600, by: 'caller' },
  fails: [409, 410, 502],
  ...setup,
})

/** Fails with 409 `too-many-scim-tokens`. */
export const createSetupScimToken = endpoint('POST', '/passport/setup/scimtokens', {
  summary: 'Create a SCIM token, by a set-up link',
  description: 'The value is returned only once.',
  body: entity(NewScimToken),
  returns: json(CreatedScimToken),
  creates: true,
  rateLimit: { requests: 60, perSeconds: 3600, by: 'caller' },
  fails: [409, 410],
  ...setup,
})
/** Only of tokens that a set-up link has created. */
export const revokeSetupScimToken = endpoint('DELETE', '/passport/setup/scimtokens/{tokenId}', {
  summary: 'Revoke a SCIM token that a set-up link created',
  params: z.object({ tokenId: z.string() }),
  fails: [404, 410],
  ...setup,
})
