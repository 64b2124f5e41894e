import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Database } from './database.ts'

/** The confidential client of every provider, and its only redirect URI, which nobody opens. */
export const client = {
  id: 'bench',
  secret: 'the secret of the client of the measurement',
  redirectUri: 'http://localhost:9/callback',
}

/** An account for each of the connections, so that their sign-ins do not write the same rows. */
export const userCount = 16
export const password = 'the-password-of-every-measured-user-1'

/** Where a user signs in. */
export interface SignIn {
  issuer: string
  /** Returns what the user with this number fills in. */
  fields: (user: number) => Record<string, string>
}

/** A running provider. */
export interface Provider {
  issuer: string
  /** The first process of the server. */
  pid: number
  /** The database; undefined if the provider was measured without one. */
  database?: Database
  /** Parameters of a client credentials request for a JWT. */
  clientCredentials: Record<string, string>
  /** Sign-ins whose password hash costs next to nothing, and with the hash that the provider has by default. */
  signIns: { cheap?: SignIn; default?: SignIn }
  stop: () => Promise<void>
}

/** The directory of the fetched providers, outside the repository. */
export const peersDirectory = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'passport-bench')

/** Returns the directory of a fetched provider; undefined if it is not there. */
export function findPeer(name: string): string | undefined {
  const directory = join(peersDirectory, name)
  return existsSync(directory) ? directory : undefined
}
