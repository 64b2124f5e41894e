import { JoinLinks } from '../join/JoinLinks.tsx'
import { OrgFrame } from './OrgFrame.tsx'
import { accountArea, adminArea, type OrgArea } from './org-area.ts'

export const OrgLinksPage = () => <LinksPage area={adminArea} />
export const OwnOrgLinksPage = () => <LinksPage area={accountArea} />

/** The join links of an organisation. */
function LinksPage({ area }: { area: OrgArea }) {
  return <OrgFrame area={area}>{({ org }) => <JoinLinks kind="org" targetId={org.id} name={org.name} />}</OrgFrame>
}
