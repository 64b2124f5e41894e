import { getOrg } from '@passport/contract/orgs'
import { call } from '../app/api.ts'

/** What an organisation is called. Rejects where there is none of this id. */
export const nameOfOrg = async (orgId: string): Promise<string> => (await call(getOrg, { params: { orgId } })).name
