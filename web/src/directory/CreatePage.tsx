import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { FieldValues } from 'react-hook-form'
import { capitalize, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { buttonClass } from '../ui/Button.tsx'
import { BackLink } from './BackLink.tsx'
import type { LinkTo } from './list-page.ts'
import { RecordFormFrame } from './RecordFormFrame.tsx'
import { type RecordForm, type RecordFormOptions, useRecordForm } from './record-form.ts'

interface CreateFrameProps<V extends FieldValues> {
  title: string
  /** The label of the primary button; the title by default. */
  action?: string
  /** The list that Cancel returns to. */
  list: LinkTo & { label: string }
  record: RecordForm<V>
  /** Buttons beside the title, such as another way to create the record. */
  actions?: ReactNode
  children: ReactNode
}

/** The frame of a page that creates something: title, fields with their errors, Cancel and one primary button. */
export function CreateFrame<V extends FieldValues>(props: CreateFrameProps<V>) {
  const { title, action = title, list, record, actions, children } = props
  return (
    <div>
      <BackLink {...list} />
      <div className="mb-6 flex flex-wrap items-end justify-between gap-3">
        <h1>{title}</h1>
        {actions}
      </div>
      <RecordFormFrame
        record={record}
        recordLabel="this record"
        action={action}
        cancel={
          <Link to={list.to} className={buttonClass()}>
            Cancel
          </Link>
        }
      >
        {children}
      </RecordFormFrame>
    </div>
  )
}

interface CreatePageProps<V extends FieldValues, Created>
  extends Omit<CreateFrameProps<V>, 'title' | 'action' | 'record' | 'children'>,
    Pick<RecordFormOptions<V>, 'labels' | 'fieldByCode'> {
  /** The kind of record: “organisation”. */
  kind: string
  initialValues: V
  create: (values: V) => Promise<Created>
  /** Returns the page of the created record. */
  pageOf: (created: Created) => LinkTo
  children: (record: RecordForm<V>) => ReactNode
}

/** A page that creates a record of the directory, reports it and opens it. */
export function CreatePage<V extends FieldValues, Created>(props: CreatePageProps<V, Created>) {
  const { kind, initialValues, create, pageOf, labels, fieldByCode = {}, children, ...frame } = props
  const navigate = useNavigate()
  const record = useRecordForm<V>({
    saved: { values: initialValues },
    labels,
    fieldByCode,
    save: create,
    onSaved: (created) => {
      void queryClient.invalidateQueries()
      reportSuccess(`${capitalize(kind)} created`)
      void navigate(pageOf(created as Created) as never)
    },
  })
  return (
    <CreateFrame {...frame} title={`Create ${kind}`} record={record}>
      {children(record)}
    </CreateFrame>
  )
}
