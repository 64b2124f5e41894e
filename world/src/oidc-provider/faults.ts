/** The ways in which this provider can be told to go wrong, by whoever signs in; each is one that real ones have had. */
export const faults = {
  none: 'behave',
  cancel: 'the person cancels',
  'wrong-state': 'answer with another state',
  'wrong-answer-issuer': 'answer in the name of another issuer',
  'wrong-token-issuer': 'make the ID token in the name of another issuer',
  'wrong-audience': 'make the ID token for another client',
  'wrong-nonce': 'put another nonce into the ID token',
  'forged-signature': 'sign the ID token with a key that is not published',
  expired: 'make an ID token that expired an hour ago',
  future: 'make an ID token an hour in the future',
  stale: 'say that the authentication was an hour ago',
  'no-auth-time': 'do not say when the authentication was',
  'spent-code': 'refuse the code as used already',
  'server-error': 'answer with server_error',
  'no-token-endpoint': 'close the connection at the token endpoint',
  'wrong-client': 'refuse the client at the token endpoint',
} as const

export type Fault = keyof typeof faults

export const isFault = (value: unknown): value is Fault => typeof value === 'string' && value in faults
