import { ActivityTab } from '../audit/ActivityTab.tsx'
import { ApplicationFrame } from './ApplicationFrame.tsx'

/** The audit events of an application. */
export const ApplicationActivityPage = () => (
  <ApplicationFrame>{({ clientId }) => <ActivityTab kind="client" id={clientId} />}</ApplicationFrame>
)
