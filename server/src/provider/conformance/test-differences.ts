/** A rule by which the service deliberately responds in another way than the library. */
export interface Difference {
  /** The outcome of the library; equal to that of the service if only headers or claims differ. */
  library: string
  reason: string
}

const routing = 'The service routes requests by exact paths and methods, and the library by patterns.'
const unreadable =
  'The service refuses a JWT without headers for pages of other origins, so that they cannot read why it is refused.'
const structured = 'The library keeps no JWT; RFC 7662, section 2.2: a token that is not known is not active.'

/** The deliberate differences, by group of cases and rule. */
export const differences = {
  clients: {
    'refuses a body of too many bytes': {
      library: '400 invalid_request',
      reason: 'RFC 9110, section 15.5.14, has a status for it.',
    },
    'does not find another letter case': { library: '400 invalid_request', reason: routing },
  },
  introspection: {
    'does not read an ID token': { library: '400 unsupported_token_type', reason: structured },
    'does not know a foreign JWT': { library: '400 unsupported_token_type', reason: structured },
  },
  revocation: {
    'succeeds for a foreign JWT': { library: '400 unsupported_token_type', reason: structured },
  },
  'user info': {
    'refuses a foreign JWT': { library: '401 invalid_token', reason: unreadable },
    'refuses an ID token': { library: '401 invalid_token', reason: unreadable },
    'refuses a token of a client': { library: '401 invalid_token', reason: unreadable },
    'refuses a token of another API': {
      library: '403 insufficient_scope',
      reason: 'RFC 6750, section 3.1: a token of another audience is invalid here, whatever its scopes are.',
    },
    "accepts a token of Passport's API": {
      library: '401 invalid_token',
      reason: "Passport's API includes user info, so an application needs one token for both.",
    },
  },
  token: {},
} satisfies Record<string, Record<string, Difference>>
