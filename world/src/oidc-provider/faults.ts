/** The faults that can be chosen on the sign-in page; each one occurred at a real provider. */
export const faults = {
  none: 'respond correctly',
  cancel: 'cancel the sign-in',
  'wrong-state': 'respond with another state',
  'wrong-response-issuer': 'respond as another issuer',
  'wrong-token-issuer': 'issue the ID token as another issuer',
  'wrong-audience': 'issue the ID token for another client',
  'wrong-nonce': 'issue the ID token with another nonce',
  'forged-signature': 'sign the ID token with an unpublished key',
  expired: 'issue an ID token that expired an hour ago',
  future: 'issue an ID token dated an hour ahead',
  'missing-subject': 'issue an ID token without a subject',
  'missing-issued-at': 'issue an ID token without the time of issue',
  unsigned: 'issue an ID token without a signature',
  'unstorable-claim': 'issue the ID token with a NUL in a claim',
  stale: 'report an authentication an hour ago',
  'no-auth-time': 'omit the time of the authentication',
  'spent-code': 'reject the code as already used',
  'server-error': 'respond with server_error',
  'no-token-endpoint': 'close the connection at the token endpoint',
  'wrong-client': 'reject the client at the token endpoint',
} as const

export type Fault = keyof typeof faults

export const isFault = (value: unknown): value is Fault => typeof value === 'string' && value in faults
