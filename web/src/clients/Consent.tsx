import type { Client } from '@passport/contract/clients'
import { Badge } from '../ui/Badge.tsx'
import { consentNames } from './client-form.ts'

/** When an application asks for consent, with a mark if never: its users do not see what it gets. */
export function Consent({ client: { consent } }: { client: Client }) {
  return consent === 'skip' ? <Badge>{consentNames.skip}</Badge> : consentNames[consent]
}
