import { clientScopes } from '@passport/contract/endpoint'
import { clientCredentialsGrant, deviceCodeGrant } from '../clients/grant-types.ts'
import { claimsByScope } from '../oauth/claims.ts'
import { proofAlgorithms } from '../oauth/dpop.ts'
import { issuerScopes } from '../oauth/scopes.ts'
import { checkSessionIframeUrlOf } from './check-session.ts'

/** How clients authenticate at every endpoint that requires it (RFC 6749, section 2.3). */
const clientAuthMethods = ['client_secret_basic', 'client_secret_post', 'none']

/** The claims of ID tokens about the session and the authentication, besides those of the scopes. */
const authenticationClaims = ['sid', 'auth_time', 'iss', 'azp', 'amr', 'acr']

/** Describes the issuer to its clients (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2). */
export const describeIssuer = (publicUrl: string): object => ({
  issuer: publicUrl,
  authorization_endpoint: `${publicUrl}/connect/authorize`,
  token_endpoint: `${publicUrl}/connect/token`,
  userinfo_endpoint: `${publicUrl}/connect/userinfo`,
  jwks_uri: `${publicUrl}/connect/jwks`,
  introspection_endpoint: `${publicUrl}/connect/introspect`,
  revocation_endpoint: `${publicUrl}/connect/revocation`,
  device_authorization_endpoint: `${publicUrl}/connect/deviceauthorization`,
  pushed_authorization_request_endpoint: `${publicUrl}/connect/par`,
  end_session_endpoint: `${publicUrl}/connect/endsession`,
  check_session_iframe: checkSessionIframeUrlOf(publicUrl),
  service_documentation: `${publicUrl}/docs`,
  scopes_supported: [...issuerScopes, ...clientScopes],
  claims_supported: [...Object.values(claimsByScope).flat(), ...authenticationClaims],
  claim_types_supported: ['normal'],
  subject_types_supported: ['public'],
  response_types_supported: ['code'],
  response_modes_supported: ['form_post', 'fragment', 'query'],
  grant_types_supported: ['authorization_code', 'refresh_token', clientCredentialsGrant, deviceCodeGrant],
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: clientAuthMethods,
  introspection_endpoint_auth_methods_supported: clientAuthMethods,
  revocation_endpoint_auth_methods_supported: clientAuthMethods,
  id_token_signing_alg_values_supported: ['RS256', 'ES256'],
  dpop_signing_alg_values_supported: proofAlgorithms,
  authorization_response_iss_parameter_supported: true,
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
})
