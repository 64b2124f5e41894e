import { listMails, type Mail, type MailState, maxResent, resendMails } from '@passport/contract/mail'
import { type MailKindId, mailKinds } from '@passport/contract/mail-kinds'
import { AtSign } from 'lucide-react'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import type { BulkAction, BulkResult, BulkWork } from '../directory/bulk.tsx'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import type { Selected } from '../directory/selection.ts'
import { loadAllRows, useList } from '../directory/use-list.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { columns } from './columns.tsx'
import { Delivery } from './Delivery.tsx'
import { MailDialog } from './MailDialog.tsx'
import { MailViews } from './MailViews.tsx'
import { TestMail } from './TestMail.tsx'
import { states } from './words.ts'

const stateOptions = Object.entries(states).map(([value, { label }]) => ({ value, label }))
const kindOptions = Object.entries(mailKinds).map(([value, { name }]) => ({ value, label: name }))

/** The emails with what became of each. */
export function Queue() {
  const state = useListState({
    filters: { state: Object.keys(states) as MailState[], kind: Object.keys(mailKinds) as MailKindId[] },
    sorts: [],
  })
  const { sort: _, ...query } = state.query
  const list = useList(listMails, { query })
  const [opened, setOpened] = useState<Mail>()

  const rowMenu = (mail: Mail): MenuItem[] => [
    { label: 'View details', onSelect: () => setOpened(mail) },
    ...(mail.resendUntil ? [{ label: 'Resend', onSelect: () => void resendOne(mail) }] : []),
  ]
  const bulk: BulkAction[] = [
    {
      label: 'Resend',
      icon: <AtSign size={16} />,
      doneMessage: (count) => `${count === 1 ? '1 email' : `${count.toLocaleString('en')} emails`} queued again`,
      run: async (selected, work) => resendAll(await findIds(selected, query), work),
    },
  ]
  return (
    <>
      <ListPage
        name="mails"
        title="Mail"
        noun={['email', 'emails']}
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ recipient }) => recipient}
        rowMenu={rowMenu}
        bulk={bulk}
        searchPlaceholder="Recipient"
        filters={[
          { name: 'state', label: 'State', options: stateOptions },
          { name: 'kind', label: 'Kind', options: kindOptions },
        ]}
        actions={<TestMail />}
        views={
          <>
            <MailViews />
            <Delivery onShowFailed={() => state.filter('state', 'failed')} />
          </>
        }
        emptyHint="They appear when users are invited, sign up or change their accounts."
      />
      <MailDialog
        mail={opened}
        onClose={() => setOpened(undefined)}
        onResend={(mail) => {
          setOpened(undefined)
          void resendOne(mail)
        }}
      />
    </>
  )
}

const skipped = 'It did not fail, or its content is deleted.'

async function resendOne({ id, recipient }: Mail) {
  try {
    const { resent } = await call(resendMails, { body: { ids: [id] } })
    if (resent.length > 0) reportSuccess(`Email to ${recipient} queued again`)
    else reportFailure('resend the email', new Error(skipped))
  } catch (error) {
    reportFailure('resend the email', error)
  }
  await queryClient.invalidateQueries()
}

async function findIds(selected: Selected, query: object): Promise<string[]> {
  if ('ids' in selected) return selected.ids
  return (await loadAllRows(listMails, { query })).map(({ id }) => id)
}

/** Resends many emails, until the work is cancelled. */
async function resendAll(ids: string[], { report, signal }: BulkWork): Promise<BulkResult> {
  const result: BulkResult = { done: 0, failed: [] }
  let reached = 0
  for (; reached < ids.length && !signal.aborted; reached += maxResent) {
    report({ text: `Resending ${ids.length.toLocaleString('en')} emails…`, done: reached, total: ids.length })
    const part = await call(resendMails, { body: { ids: ids.slice(reached, reached + maxResent) } })
    result.done += part.resent.length
    result.failed.push(...part.skipped.map((id) => ({ id, reason: skipped })))
  }
  void queryClient.invalidateQueries()
  return { ...result, cancelled: Math.max(0, ids.length - reached) }
}
