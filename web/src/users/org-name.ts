import { getOrg } from '@passport/contract/orgs'
import { call } from '../app/api.ts'

/** Returns the name of an organisation. Rejects for an unknown id. */
export const loadOrgName = async (orgId: string): Promise<string> => (await call(getOrg, { params: { orgId } })).name
