import type { Client } from '@passport/contract/clients'
import type { ClientScope } from '@passport/contract/endpoint'

/** The form of an application: lists are texts with one URI per line. */
export interface ClientValues {
  clientName: string
  redirectUris: string
  postLogoutRedirectUris: string
  backchannelLogoutUri: string
  consent: Client['consent']
  deviceFlow: 'off' | 'on' | 'pin'
  scopes: ClientScope[]
  apis: Client['apis']
  idTokenSigningAlg: Client['idTokenSigningAlg']
  pkce: Client['pkce']
}

export const clientLabels: { [Name in keyof ClientValues]: string } = {
  clientName: 'Name',
  redirectUris: 'Redirect URIs',
  postLogoutRedirectUris: 'Post-logout redirect URIs',
  backchannelLogoutUri: 'Back-channel logout URL',
  consent: 'Consent',
  deviceFlow: 'Device flow',
  scopes: 'Application scopes',
  apis: 'APIs',
  idTokenSigningAlg: 'ID token algorithm',
  pkce: 'PKCE',
}

export const consentOptions = [
  { value: 'once', label: 'Once per user' },
  { value: 'always', label: 'At every sign-in' },
  { value: 'skip', label: 'Never: our own application' },
] as const

/** The consent of an application, where it is not edited. */
export const consentNames = { skip: 'Never asked', once: 'Once per user', always: 'At every sign-in' } as const

/** Reports whether users sign in to an application. */
export const hasUsers = ({ redirectUris, deviceFlow }: Client): boolean =>
  redirectUris.length > 0 || deviceFlow !== false

/** Returns the type of an application in words. */
export function describeType(client: Client): string {
  if (!client.confidential) return 'Browser or native app'
  return hasUsers(client) ? 'Web app with a server' : 'Service'
}

export const deviceFlowOptions = [
  { value: 'off', label: 'Off' },
  { value: 'on', label: 'On' },
  { value: 'pin', label: 'On, with a PIN' },
] as const

export const pkceOptions = [
  { value: 'required', label: 'Required' },
  { value: 'optional', label: 'Optional, for libraries without it' },
] as const

export const toValues = (client: Client): ClientValues => ({
  clientName: client.clientName,
  redirectUris: client.redirectUris.join('\n'),
  postLogoutRedirectUris: client.postLogoutRedirectUris.join('\n'),
  backchannelLogoutUri: client.backchannelLogoutUri ?? '',
  consent: client.consent,
  deviceFlow: client.deviceFlow === 'pin' ? 'pin' : client.deviceFlow ? 'on' : 'off',
  scopes: client.scopes,
  apis: client.apis,
  idTokenSigningAlg: client.idTokenSigningAlg,
  pkce: client.pkce,
})

/** Returns the body of a call: an application with the values of its form. */
export const toBody = (values: ClientValues, client: Client) => ({
  ...client,
  ...values,
  redirectUris: splitLines(values.redirectUris),
  postLogoutRedirectUris: splitLines(values.postLogoutRedirectUris),
  backchannelLogoutUri: values.backchannelLogoutUri.trim() || null,
  deviceFlow: values.deviceFlow === 'pin' ? ('pin' as const) : values.deviceFlow === 'on',
})

/** Returns the trimmed lines of a text that are not empty. */
export const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
