import * as api from '@passport/contract/search'
import type { Feature } from '../feature.ts'
import * as store from './store.ts'

const maxResults = 10

/** The quick search of administrators. */
export const search: Feature = ({ serve }, { sql }) => {
  serve(api.searchRecords, ({ query: { query } }) => ([...query].length < 2 ? [] : store.find(sql, query, maxResults)))
}
