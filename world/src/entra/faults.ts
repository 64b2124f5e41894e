/** Faults of ID tokens and authorization responses, which can be chosen on the sign-in page too. */
export const signInFaults = {
  none: 'respond correctly',
  cancelled: 'cancel the sign-in',
  guest: 'sign in as a guest from another tenant',
  'auth-time': 'send auth_time, an optional claim',
  'missing-oid': 'omit the object id',
  'foreign-tid': 'send the tenant id of another tenant',
  'wrong-token-issuer': 'issue the ID token as another issuer',
  'wrong-audience': 'issue the ID token for another application',
  'wrong-nonce': 'issue the ID token with another nonce',
  'forged-signature': 'sign with another key under a published key id',
  'unpublished-key': 'sign with a new key that is not published',
  'rotated-key': 'sign with a new key that is published from now on',
  'key-issuer-mismatch': 'publish the keys for another issuer',
  'clock-ahead': 'date the ID token 290 seconds ahead',
  'clock-far-ahead': 'date the ID token 310 seconds ahead',
  expired: 'issue an ID token that expired 290 seconds ago',
  'long-expired': 'issue an ID token that expired 310 seconds ago',
  overage: 'replace the groups by a reference (_claim_names)',
  'overage-implicit': 'replace the groups by hasgroups',
  'overage-refused': 'replace the groups by a reference, and refuse to list them in Graph',
} as const

/** Faults of the admin consent, which can be chosen on the consent page too. */
export const consentFaults = {
  'consent-denied': 'deny the consent',
  'forged-consent-tenant': 'report the consent of another tenant, without a consent',
  'no-organization-permission': 'consent without Organization.Read.All',
} as const

/** Faults of a whole cloud, or of the endpoints that match `FaultOptions.path`. */
export const cloudFaults = {
  'invalid-tenant': 'know no tenant',
  'metadata-issuer-changed': 'publish metadata of another issuer',
  hang: 'accept requests and never respond',
  down: 'close every connection',
  'server-error': 'respond with status 500',
  throttled: 'respond with status 429',
  slow: 'respond after 3 seconds',
} as const

export const faults = { ...signInFaults, ...consentFaults, ...cloudFaults }

export type EntraFault = keyof typeof faults

export interface FaultOptions {
  /** Limits the fault to one tenant, where the request names one. */
  tenantId?: string
  /** Limits a fault of a whole cloud to the paths that match. */
  path?: RegExp
  /** Limits a fault of a whole cloud to this many requests. */
  times?: number
  /** Replaces the seconds of `clock-ahead`, `expired` and `slow`. */
  seconds?: number
  /** The tenant that `forged-consent-tenant` and `foreign-tid` name; by default another one of the cloud. */
  otherTenantId?: string
}

export const isFault = (value: unknown): value is EntraFault => typeof value === 'string' && value in faults
