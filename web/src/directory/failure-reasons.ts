import { capitalize } from '../ui/capitalize.ts'

/** Names of the reasons of failed sign-ins, by their codes in the audit log. */
const names: Record<string, string> = {
  'password-wrong': 'Wrong password',
  cancelled: 'Cancelled by the user',
  'not-invited': 'No account',
  'account-disabled': 'Account disabled',
  'attempt-expired': 'Took too long',
  'answer-replayed': 'Response sent twice',
  'code-refused': 'Code rejected',
  'state-unknown': 'Unknown attempt',
  'provider-unreachable': 'Provider unreachable',
  'provider-refused': 'Refused by the provider',
  'provider-misconfigured': 'Provider misconfigured',
  'provider-cannot-prove': 'No recent sign-in proved',
  'issuer-wrong': 'Wrong issuer',
  'answer-invalid': 'Invalid response',
  'clock-skew': 'Clock differs',
  'not-fresh': 'Sign-in too old',
  'external-account-in-use': 'Login in use elsewhere',
  'session-changed': 'Session changed',
  'tenant-not-enabled': 'Sign-in of the tenant disabled',
  'tenant-mismatch': 'Wrong tenant',
  'key-issuer-wrong': "Another tenant's key",
  'guest-refused': 'Guest of the tenant',
  'groups-unavailable': 'Groups unavailable',
  'interaction-expired': 'Sign-in expired',
  invalid_request: 'Invalid request',
  invalid_client: 'Unknown application, or wrong secret',
  invalid_redirect_uri: 'Redirect URI not registered',
  unauthorized_client: 'Grant not allowed',
  invalid_scope: 'Scope not available',
  invalid_target: 'API not available',
  invalid_grant: 'Code or refresh token rejected',
  access_denied: 'Denied by the user',
  login_required: 'No session',
}

/** Returns the name of a reason; for an unknown code, its words. */
export const nameReason = (code: string): string => names[code] ?? capitalize(code.replaceAll(/[-_]/g, ' '))
