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
}

/** Returns the name of a reason; for an unknown code, its words. */
export const nameReason = (code: string): string => names[code] ?? capitalize(code.replaceAll('-', ' '))
