import { ActivityTab } from '../audit/ActivityTab.tsx'
import { RoleFrame } from './RoleFrame.tsx'

/** The audit events of a role. */
export const RoleActivityPage = () => <RoleFrame>{({ name }) => <ActivityTab kind="role" id={name} />}</RoleFrame>
