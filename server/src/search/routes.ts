import * as api from '@passport/contract/search'
import type { Room } from '../room.ts'
import * as store from './store.ts'

const mostFound = 10

/** Search: what administrators jump to by typing. */
export const search: Room = ({ serve }, { sql }) => {
  serve(api.searchRecords, ({ query: { query } }) => ([...query].length < 2 ? [] : store.find(sql, query, mostFound)))
}
