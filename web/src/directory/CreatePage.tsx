import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Control, FieldValues } from 'react-hook-form'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { buttonClass } from '../ui/Button.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { BackLink } from './BackLink.tsx'
import type { LinkTo } from './list-page.ts'
import { isForAdministrators, PageMenu } from './PageMenu.tsx'
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
  /** Above the sheet, such as a notice about the installation. */
  notice?: ReactNode
  /** Beside the sheet, such as what follows. */
  rail?: ReactNode
  children: ReactNode
}

/** The sections of the form are parts of one sheet, and its buttons are the foot of it. */
const sheetClass = [
  'card overflow-clip [&>form]:gap-0 [&>form>[role=status]]:m-4 [&>form>[role=status]]:mb-0',
  '[&>form>section]:static [&>form>section]:rounded-none [&>form>section]:border-0 [&>form>section]:shadow-none',
  '[&>form>section+section]:border-t [&>form>section+section]:border-line',
  '[&>form>section:last-of-type]:px-4 [&>form>section:last-of-type]:py-3 sm:[&>form>section:last-of-type]:px-[18px]',
].join(' ')

/**
 * The frame of a page that creates something: title, fields with their errors on one sheet, Cancel and one primary
 * button. The first field has the focus, unless it would open a keyboard on the screen.
 */
export function CreateFrame<V extends FieldValues>(props: CreateFrameProps<V>) {
  const { title, action = title, list, record, actions, notice, rail, children } = props
  const sheet = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (matchMedia('(pointer: coarse)').matches) return
    sheet.current?.querySelector<HTMLElement>('form input, form select, form textarea')?.focus({ preventScroll: true })
  }, [])
  return (
    <div>
      <BackLink {...list} />
      <div className="cols">
        <div>
          <div className="mb-5 flex min-h-9 flex-wrap items-center justify-between gap-3">
            <h1>{title}</h1>
            <div className="flex gap-2">
              {actions}
              {isForAdministrators() && <PageMenu hasCall={false} />}
            </div>
          </div>
          {notice && <div className="mb-4">{notice}</div>}
          <div ref={sheet} className={sheetClass}>
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
        </div>
        {/* At the height of the sheet. */}
        {rail && <div className="nav:mt-14">{rail}</div>}
      </div>
    </div>
  )
}

/** Returns the words of the search without a match that led to this page; otherwise an empty text. */
export function useSearchedName(): string {
  const { name } = useSearch({ strict: false }) as { name?: unknown }
  return typeof name === 'string' ? name : ''
}

interface CreatePageProps<V extends FieldValues, Created>
  extends Omit<CreateFrameProps<V>, 'title' | 'action' | 'record' | 'rail' | 'children'>,
    Pick<RecordFormOptions<V>, 'labels' | 'fieldByCode'> {
  /** The kind of record: “organisation”. */
  kind: string
  initialValues: V
  /** Beside the sheet, such as what follows; or a function of the form's values. */
  rail?: ReactNode | ((control: Control<V>) => ReactNode)
  create: (values: V) => Promise<Created>
  /** Returns the page of the created record. */
  pageOf: (created: Created) => LinkTo
  children: (record: RecordForm<V>) => ReactNode
}

/** A page that creates a record of the directory, reports it and opens it. */
export function CreatePage<V extends FieldValues, Created>(props: CreatePageProps<V, Created>) {
  const { kind, initialValues, create, pageOf, labels, fieldByCode = {}, rail, children, ...frame } = props
  const navigate = useNavigate()
  const name = useSearchedName()
  const record = useRecordForm<V>({
    saved: { values: name && 'name' in initialValues ? { ...initialValues, name } : initialValues },
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
    <CreateFrame
      {...frame}
      title={`Create ${kind}`}
      record={record}
      rail={typeof rail === 'function' ? rail(record.form.control as Control<V>) : rail}
    >
      {children(record)}
    </CreateFrame>
  )
}
