import { ApiError } from '@passport/contract/call'
import { getPreference, type ListedPreference, type Preference, putPreference } from '@passport/contract/preferences'
import { call, DescribedError, SessionChanged } from '../app/api.ts'

/** Another tab or app changed the preference after it was read. */
export class Conflict extends DescribedError {
  /** The preference as it is saved now; undefined if it is deleted. */
  readonly theirs: ListedPreference | undefined
  constructor(message: string, theirs: ListedPreference | undefined) {
    super(message)
    this.theirs = theirs
  }
}

/**
 * Saves one preference if it is still as in `base`, or still missing without one; an empty value deletes it. Returns the
 * saved preference. Rejects with a message for the user (specification, section 8), and with `Conflict` if another value
 * is saved.
 */
export async function save(
  { key, value }: Preference,
  base: ListedPreference | undefined,
): Promise<ListedPreference | undefined> {
  let version: string | undefined
  const onVersion = (received: string) => {
    version = received
  }
  const condition = base ? { ifMatch: `"${base.version}"` } : { ifNoneMatch: '*' as const }
  try {
    await call(putPreference, { params: { userId: 'me', key }, body: value }, { ...condition, onVersion })
    return value === '' ? undefined : { key, value, version, savedAt: new Date().toISOString() }
  } catch (error) {
    const message = formatError(key, error)
    if (!(error instanceof ApiError && error.status === 412)) throw new DescribedError(message, { cause: error })
    const theirs = await read(key).catch((error: unknown) => {
      throw new DescribedError(formatError(key, error), { cause: error })
    })
    if ((theirs?.value ?? '') === value) return theirs
    throw new Conflict(message, theirs)
  }
}

/** Reads the saved preference; undefined if there is none. */
async function read(key: string): Promise<ListedPreference | undefined> {
  let version: string | undefined
  const onVersion = (received: string) => {
    version = received
  }
  try {
    const value = await call(getPreference, { params: { userId: 'me', key } }, { onVersion })
    return { key, value, version }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

function formatError(key: string, error: unknown): string {
  if (error instanceof ApiError) return `Failed to update key ${key}: status ${error.status} ${error.statusText}`
  return `Failed to update key ${key}: ${error instanceof SessionChanged ? error.message : 'no connection'}`
}
