import { ActivityTab } from '../audit/ActivityTab.tsx'
import { GroupFrame } from './GroupFrame.tsx'

export const GroupActivityPage = () => (
  <GroupFrame area="admin">{({ id }) => <ActivityTab kind="group" id={id} />}</GroupFrame>
)
