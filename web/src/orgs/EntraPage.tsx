import { OrgTenant } from '../entra/OrgTenant.tsx'
import { OrgFrame } from './OrgFrame.tsx'
import { adminArea } from './org-area.ts'

/** The tenant of an organisation, for administrators. */
export const OrgEntraPage = () => <OrgFrame area={adminArea}>{({ org }) => <OrgTenant org={org} />}</OrgFrame>
