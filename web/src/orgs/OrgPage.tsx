import { ActivityTab } from '../audit/ActivityTab.tsx'
import { JoinLinks } from '../join/JoinLinks.tsx'
import { DomainsTab } from './DomainsTab.tsx'
import { MembersTab } from './MembersTab.tsx'
import { OrgFrame, type OrgTab } from './OrgFrame.tsx'
import { OverviewTab } from './OverviewTab.tsx'
import { accountArea, adminArea, type OrgArea } from './org-area.ts'

type Tab = (tab: OrgTab) => React.ReactNode

const LinksTab: Tab = ({ org }) => <JoinLinks kind="org" targetId={org.id} name={org.name} />
const HistoryTab: Tab = ({ org }) => <ActivityTab kind="org" id={org.id} />

/** The pages of an organisation: each tab for administrators, and for its owners and admins. */
export const OrgPage = createPage(adminArea, OverviewTab)
export const OrgMembersPage = createPage(adminArea, MembersTab)
export const OrgDomainsPage = createPage(adminArea, DomainsTab)
export const OrgLinksPage = createPage(adminArea, LinksTab)
export const OrgActivityPage = createPage(adminArea, HistoryTab)
export const OwnOrgPage = createPage(accountArea, OverviewTab)
export const OwnOrgMembersPage = createPage(accountArea, MembersTab)
export const OwnOrgLinksPage = createPage(accountArea, LinksTab)

function createPage(area: OrgArea, Tab: Tab) {
  return () => <OrgFrame area={area}>{(tab) => <Tab {...tab} />}</OrgFrame>
}
