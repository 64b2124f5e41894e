import { ActivityTab } from '../audit/ActivityTab.tsx'
import { JoinLinks } from '../join/JoinLinks.tsx'
import { AccountOrgs } from './AccountOrgs.tsx'
import { DomainsTab } from './DomainsTab.tsx'
import { MembersTab } from './MembersTab.tsx'
import { OrgFrame, type OrgTab } from './OrgFrame.tsx'
import { OverviewTab } from './OverviewTab.tsx'
import { accountPlace, adminPlace, type OrgPlace } from './place.ts'

type Tab = (tab: OrgTab) => React.ReactNode

const LinksTab: Tab = ({ org }) => <JoinLinks kind="org" targetId={org.id} name={org.name} />
const HistoryTab: Tab = ({ org }) => <ActivityTab kind="org" id={org.id} />

/** The pages of an organisation: each tab where administrators run it, and where its owners and admins do. */
export const OrgPage = pageOf(adminPlace, OverviewTab)
export const OrgMembersPage = pageOf(adminPlace, MembersTab)
export const OrgDomainsPage = pageOf(adminPlace, DomainsTab)
export const OrgLinksPage = pageOf(adminPlace, LinksTab)
export const OrgActivityPage = pageOf(adminPlace, HistoryTab)
/** With them, because it shares what only these pages need. */
export const AccountOrgsPage = AccountOrgs
export const OwnOrgPage = pageOf(accountPlace, OverviewTab)
export const OwnOrgMembersPage = pageOf(accountPlace, MembersTab)
export const OwnOrgLinksPage = pageOf(accountPlace, LinksTab)

function pageOf(place: OrgPlace, Tab: Tab) {
  return () => <OrgFrame place={place}>{(tab) => <Tab {...tab} />}</OrgFrame>
}
