/** A rule by which the service deliberately responds in another way than the library. */
export interface Difference {
  /** The outcome of the library, `success` for any; equal to that of the service if only headers or claims differ. */
  library: string
  reason: string
}

const routing = 'The service routes requests by exact paths and methods, and the library by patterns.'
const structured = 'The library keeps no JWT; RFC 7662, section 2.2: a token that is not known is not active.'
const ahead = 'RFC 9449, section 11.1: a proof of the future could be used later; 5 s are enough for clocks.'

const unauthorized = 'RFC 6749, section 5.2, has a code for a grant that the client may not use.'

const ofOrigins = {
  library: '400 invalid_request',
  reason: 'A response without Access-Control-Allow-Origin has no headers to expose.',
}

/** The deliberate differences, by group of cases and rule. */
export const differences = {
  clients: {
    'refuses a body of too many bytes': {
      library: '400 invalid_request',
      reason: 'RFC 9110, section 15.5.14, has a status for it.',
    },
    'does not find another letter case': { library: '400 invalid_request', reason: routing },
    'reads two spaces after Basic': {
      library: '400 invalid_request',
      reason: 'RFC 9110, section 11.4: there is at least one space before the credentials.',
    },
    'reads a repeated unknown parameter': {
      library: 'success',
      reason: 'RFC 6749, section 3.2: parameters must not be repeated.',
    },
    'refuses pages of others': ofOrigins,
    'refuses more than 20 parameters': { library: 'success', reason: 'No request costs more than its size.' },
    'refuses NUL in a parameter': { library: 'success', reason: 'PostgreSQL stores no NUL.' },
    'refuses GET': { library: '404', reason: routing },
    'refuses HEAD': { library: '404', reason: routing },
    'refuses DELETE': { library: '404', reason: routing },
  },
  introspection: {
    'does not read an ID token': { library: '400 unsupported_token_type', reason: structured },
    'does not know a foreign JWT': { library: '400 unsupported_token_type', reason: structured },
  },
  revocation: {
    'keeps the refresh token of an access token': {
      library: '200 active=false',
      reason: 'RFC 7009, section 2.1, leaves it open: an application that revokes one access token stays signed in.',
    },
    'succeeds for a foreign JWT': { library: '400 unsupported_token_type', reason: structured },
  },
  'user info': {
    'refuses PUT': { library: '404', reason: routing },
    'refuses DELETE': { library: '404', reason: routing },
    'refuses pages of others': ofOrigins,
    'lets pages of other clients read the response': {
      library: '400 invalid_request',
      reason: 'A token of an API is presented by other applications too, and a page that has it may read it.',
    },
    'refuses a proof 60 s ahead': { library: '200', reason: ahead },
    'refuses a token of another API': {
      library: '403 insufficient_scope',
      reason: 'RFC 6750, section 3.1: a token of another audience is invalid here, whatever its scopes are.',
    },
    'refuses a repeated proof': {
      library: '401 invalid_token',
      reason: 'RFC 9449, section 7.1, has a code for invalid proofs.',
    },
    "accepts a token of Passport's API": {
      library: '401 invalid_token',
      reason: "Passport's API includes user info, so an application needs one token for both.",
    },
  },
  token: {
    'refuses a proof 60 s ahead': { library: '200', reason: ahead },
    'refuses a grant type of other clients': { library: '400 invalid_request', reason: unauthorized },
    'refuses an own token of a public client': { library: '400 invalid_request', reason: unauthorized },
    'refuses a repeated proof': {
      library: '400 invalid_grant',
      reason: 'RFC 9449, section 5: an invalid proof has a code of its own.',
    },
  },
  devices: {
    'refuses a client without the grant': { library: '400 invalid_request', reason: unauthorized },
    'refuses a client without the grant at the poll': { library: '400 invalid_request', reason: unauthorized },
    'slows a device down': {
      library: '400 authorization_pending',
      reason: 'RFC 8628, section 3.5: a device that polls too often waits longer.',
    },
  },
  'pushed requests': {
    'accepts a request that names its client in the header alone': {
      library: '400 invalid_request',
      reason: 'RFC 9126, section 2.1: the rules of the token endpoint about client authentication apply.',
    },
    'refuses a client of other grants': {
      library: '400 invalid_request',
      reason: 'RFC 6749, section 4.1.2.1, has a code for it.',
    },
    'shows a page for the request of another client': {
      library: '400 page invalid_request_object',
      reason: 'OpenID Connect Core, section 3.1.2.6: the request_uri is wrong, and there is no request object.',
    },
  },
  authorization: {
    'refuses more than 20 parameters': { library: '303 code', reason: 'No request costs more than its size.' },
    'refuses in JSON': {
      library: '400 page invalid_request',
      reason: 'A program that asks for JSON cannot read a page.',
    },
    'does not continue an unknown request': {
      library: '400 page invalid_request',
      reason: 'The page says that the sign-in has expired, because the application sent nothing wrong.',
    },
  },
} satisfies Record<string, Record<string, Difference>>
