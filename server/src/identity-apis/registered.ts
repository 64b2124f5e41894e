import { builtInApiName } from '@passport/contract/identity-apis'
import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'
import * as store from './store.ts'

/** Saves the built-in API. An administrator's changes to it are kept. */
export const registerBuiltInApi = (sql: Sql, audience: string): Promise<void> =>
  store.register(sql, {
    id: uuid(),
    name: builtInApiName,
    displayName: 'Passport',
    description: 'Read and change your profile, preferences and groups',
    audience,
  })
