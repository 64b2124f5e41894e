/** The grant type for requests of a client on its own behalf (RFC 6749, section 4.4). */
export const clientCredentialsGrant = 'client_credentials'
export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

interface Flows {
  redirectUris: string[]
  deviceFlow: boolean | 'pin'
  scopes: string[]
  /** The identity APIs that the client calls on its own behalf. */
  apis?: unknown[]
}

/** Returns the grant types that the settings of a client imply. */
export function toGrantTypes({ redirectUris, deviceFlow, scopes, apis = [] }: Flows): string[] {
  const signsUsersIn = redirectUris.length > 0 || deviceFlow !== false
  return [
    ...(redirectUris.length > 0 ? ['authorization_code'] : []),
    ...(deviceFlow ? [deviceCodeGrant] : []),
    ...(signsUsersIn ? ['refresh_token'] : []),
    ...(scopes.length + apis.length > 0 ? [clientCredentialsGrant] : []),
  ]
}

export const hasDeviceFlow = (grantTypes: string[]): boolean => grantTypes.includes(deviceCodeGrant)
