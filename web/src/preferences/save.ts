import { ApiError } from '@passport/contract/call'
import { type Preference, putPreference } from '@passport/contract/preferences'
import { call, SessionChanged } from '../app/api.ts'

/** Saves one preference; an empty value deletes it. Rejects with a message for the user (specification, section 8). */
export async function save({ key, value }: Preference): Promise<void> {
  try {
    await call(putPreference, { params: { userId: 'me', key }, body: value })
  } catch (error) {
    throw new Error(formatError(key, error), { cause: error })
  }
}

function formatError(key: string, error: unknown): string {
  if (error instanceof ApiError) return `Failed to update key ${key}: status ${error.status} ${error.statusText}`
  return `Failed to update key ${key}: ${error instanceof SessionChanged ? error.message : 'no connection'}`
}
