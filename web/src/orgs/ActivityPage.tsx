import { ActivityTab } from '../audit/ActivityTab.tsx'
import { OrgFrame } from './OrgFrame.tsx'
import { adminArea } from './org-area.ts'

/** The audit events of an organisation. */
export const OrgActivityPage = () => (
  <OrgFrame area={adminArea}>{({ org }) => <ActivityTab kind="org" id={org.id} />}</OrgFrame>
)
