import { ActivityTab } from '../audit/ActivityTab.tsx'
import { ApiFrame } from './ApiFrame.tsx'

/** The audit events of an API. */
export const ApiActivityPage = () => <ApiFrame>{({ id }) => <ActivityTab kind="identity-api" id={id} />}</ApiFrame>
