import { listAssertions } from '@passport/contract/permissions'
import { query } from '../app/api.ts'

/** What must hold, as it is saved. */
export const assertionsQuery = query(listAssertions, {})
/** To be forgotten where one is saved or deleted. */
export const assertionsKey = assertionsQuery.queryKey
