import { createHash, randomBytes } from 'node:crypto'

/** What a session state is for. */
interface SessionStateInput {
  clientId: string
  /** The origin of the client's page that polls the session. */
  origin: string
  /** A value that changes with the user who is signed in to the browser. */
  browserState: string
  salt?: string
}

/** Computes `session_state` for a page of a client (OpenID Connect Session Management 1.0, section 3.2). */
export function computeSessionState({
  clientId,
  origin,
  browserState,
  salt = randomBytes(12).toString('base64url'),
}: SessionStateInput): string {
  const digest = createHash('sha256').update(`${clientId} ${origin} ${browserState} ${salt}`).digest('base64url')
  return `${digest}.${salt}`
}
