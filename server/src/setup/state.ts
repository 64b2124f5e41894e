import type { SetupState } from '@passport/contract/setup'
import { filterOwnMappings } from '../entra/own-groups.ts'
import * as entra from '../entra/store.ts'
import type { Services } from '../feature.ts'
import * as groups from '../groups/list-store.ts'
import type { SetupCaller } from '../http/caller.ts'
import { setupLinkRequired } from '../http/problems.ts'
import * as orgs from '../orgs/store.ts'
import { readProvisioning } from '../scim/present.ts'

/** The number of groups from which the holder of a link chooses. */
const maxGroups = 200

/** Returns what the holder of a set-up link sees of their organisation. Throws 401 if it was just deleted. */
export async function readState(
  { sql, branding, config }: Pick<Services, 'sql' | 'branding' | 'config'>,
  { orgId, expiresAt }: SetupCaller,
): Promise<SetupState> {
  const [org, connection, own, brand, { url, tokens }] = await Promise.all([
    orgs.find(sql, orgId),
    entra.find(sql, orgId),
    groups.listWithoutRoles(sql, orgId, maxGroups),
    branding.findForOrg(sql, orgId),
    readProvisioning(sql, config.publicUrl, orgId),
  ])
  if (!org || !connection) throw setupLinkRequired()
  const { mappings: all, ...tenant } = connection
  const mappings = await filterOwnMappings(sql, orgId, all)
  return {
    org: { id: orgId, name: org.name },
    brand: { name: brand.name, logoUrl: brand.logo?.url ?? null },
    expiresAt,
    tenant,
    mappings,
    otherMappings: all.length - mappings.length,
    groups: own,
    provisioning: { url, tokens: tokens.map((token) => ({ ...token, createdBy: null })) },
    version: org.version,
  }
}
