import { getNoticeSettings, putNoticeSettings } from '@passport/contract/notices'
import { useQuery } from '@tanstack/react-query'
import { call, query } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { editResponse, updateOptimistically } from '../app/optimistic-update.ts'
import { Card } from '../ui/Card.tsx'
import { Check } from '../ui/Check.tsx'

/** The emails about the account that the current user can switch off. */
export function NoticesCard() {
  const { data: settings } = useQuery(query(getNoticeSettings, {}))
  const change = async (newDevice: boolean) => {
    try {
      await updateOptimistically(
        [editResponse(getNoticeSettings, {}, (settings) => ({ ...settings, newDevice }))],
        () => call(putNoticeSettings, { body: { ...settings, newDevice } }),
      )
      reportSuccess('Saved')
    } catch (error) {
      reportFailure('save the setting', error)
    }
  }
  return (
    <Card title="Emails">
      <div className="px-4 pb-4 sm:px-[18px]">
        <Check
          checked={settings?.newDevice ?? true}
          disabled={!settings}
          onChange={(event) => void change(event.target.checked)}
        >
          Email me when I sign in on a new device
        </Check>
        <p className="text-[13px] text-ink3">
          Changes of your email, username, sign-in methods and tokens are always emailed.
        </p>
      </div>
    </Card>
  )
}
