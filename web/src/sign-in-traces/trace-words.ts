import type { TracePartKind, TraceStep, TraceStepName } from '@passport/contract/sign-in-traces'

/** The names of the requests of a sign-in. */
export const partNames: Record<TracePartKind, string> = {
  start: 'Sign-in started',
  email: 'Email address entered',
  directory: 'Password form',
  'sign-up': 'Sign-up',
  callback: 'Response of the provider',
  authorization: 'Request of the application',
  interaction: 'Return to the application',
  consent: 'Consent',
  token: 'Token request',
  'device-request': 'Request of the device',
  'device-approval': 'Approval of the device',
  'tenant-consent': 'Consent of the tenant',
}

const stepNames: Record<TraceStepName, string> = {
  'request-received': 'Request received',
  'application-found': 'Application',
  'parameters-checked': 'Parameters',
  'home-realm': 'Home realm',
  'provider-chosen': 'Provider chosen',
  'choice-shown': 'Choice of providers shown',
  'provider-contacted': 'Provider contacted',
  redirected: 'Redirect to the provider',
  'form-shown': 'Password form shown',
  'password-checked': 'Password',
  'sign-up-shown': 'Sign-up shown',
  'response-received': 'Response received',
  'attempt-matched': 'Attempt of this browser',
  'response-unused': 'First response',
  'in-time': 'Within 10 minutes',
  'tenant-enabled': 'Sign-in of the tenant enabled',
  'code-redeemed': 'Code redeemed',
  'claim-checked': 'ID token',
  'user-info-read': 'User info',
  'tenant-checked': 'Tenant',
  'account-found': 'Account lookup',
  'account-admitted': 'Admission',
  'mappings-applied': 'Groups and roles of the tenant',
  'session-started': 'Session started',
  'login-linked': 'Login linked',
  'test-passed': 'Test passed',
  'user-needed': 'User needed',
  'session-found': 'Session',
  'consent-asked': 'Consent asked',
  'consent-decided': 'Decision of the user',
  'code-issued': 'Code issued',
  'error-returned': 'Error returned',
  'client-authenticated': 'Application authenticated',
  'grant-checked': 'Code or grant',
  'tokens-issued': 'Tokens issued',
  'device-shown': 'Code shown',
  'device-decided': 'Decision of the user',
  'consent-proved': 'Consent proved',
}

const claimNames: Record<string, string> = {
  iss: 'Issuer',
  aud: 'Audience',
  exp: 'Expiry',
  auth_time: 'Time of authentication',
  nonce: 'Nonce',
  signature: 'Signature',
}

/** Returns the name of a step: “ID token: Issuer” for the check of a claim. */
export function nameStep({ name, detail }: TraceStep): string {
  const claim = detail['claim']
  return claim === undefined ? stepNames[name] : `${stepNames[name]}: ${claimNames[claim] ?? claim}`
}

/** Details that the name of the step or its mark has. */
const hidden = new Set(['claim'])

/** Returns the details of a step with their names, in sentence case. */
export const listDetails = ({ detail }: TraceStep): [name: string, value: string][] =>
  Object.entries(detail)
    .filter(([name]) => !hidden.has(name))
    .map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value])
