import type { Mail } from '@passport/contract/mail'
import type { Column } from '../directory/columns.ts'
import { RowName } from '../directory/RowName.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { describeResponse, nameKind, states } from './words.ts'

export const columns: Column<Mail>[] = [
  {
    id: 'recipient',
    header: 'Recipient',
    cell: ({ recipient }) => <RowName name={recipient} />,
  },
  {
    id: 'kind',
    header: 'Kind',
    width: 'w-[184px]',
    minBreakpoint: 'md',
    cell: ({ kind }) => nameKind(kind),
  },
  {
    id: 'state',
    header: 'State',
    width: 'w-[112px]',
    isOnCard: true,
    cell: ({ state }) => <Status tone={states[state].tone}>{states[state].label}</Status>,
  },
  {
    id: 'response',
    header: 'Response of the mail server',
    width: 'w-[34%]',
    minBreakpoint: 'lg',
    cell: (mail) => {
      const text = describeResponse(mail)
      return (
        <span className="text-[13px] text-ink2" title={text}>
          {mail.dueAt && (
            <>
              Next attempt <RelativeTime at={mail.dueAt} inSentence />
              {text && ': '}
            </>
          )}
          {text || (mail.dueAt ? '' : '–')}
        </span>
      )
    },
  },
  {
    id: 'created',
    header: 'Created',
    width: 'w-[118px]',
    isOnCard: true,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
]
