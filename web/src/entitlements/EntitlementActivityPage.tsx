import { ActivityTab } from '../audit/ActivityTab.tsx'
import { EntitlementFrame } from './EntitlementFrame.tsx'

/** The audit events of a definition. */
export const EntitlementActivityPage = () => (
  <EntitlementFrame>{({ id }) => <ActivityTab kind="entitlement" id={id} />}</EntitlementFrame>
)
