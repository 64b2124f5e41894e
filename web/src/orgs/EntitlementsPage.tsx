import { OrgEntitlements } from '../entitlements/OrgEntitlements.tsx'
import { OrgFrame } from './OrgFrame.tsx'
import { adminArea } from './org-area.ts'

/** The entitlements of an organisation, for administrators. */
export const OrgEntitlementsPage = () => (
  <OrgFrame area={adminArea}>{({ org }) => <OrgEntitlements key={org.id} org={org} />}</OrgFrame>
)
