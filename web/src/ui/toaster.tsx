import { createRoot } from 'react-dom/client'
import { cssTransition, ToastContainer, toast as toastify } from 'react-toastify/unstyled'
import { Button } from './Button.tsx'
import 'react-toastify/ReactToastify.css'
import './toaster.css'
import type { ToastOptions } from './toast.ts'

const maxToasts = 20
/** Dragging a toast this far across its width, in percent, dismisses it. */
const dragPercent = 60

const fade = cssTransition({ enter: 'toast-enter', exit: 'toast-exit', collapse: true, collapseDuration: 150 })

/**
 * The single container, shared by all pages: bottom right, newest on top. It is in the document from the start, because
 * screen readers miss content in a live region that is itself new.
 */
const container = document.getElementById('toasts') ?? document.body.appendChild(document.createElement('div'))
createRoot(container).render(
  <ToastContainer
    aria-label="Notifications"
    position="bottom-right"
    transition={fade}
    autoClose={5000}
    limit={maxToasts}
    newestOnTop
    draggable
    draggablePercent={dragPercent}
    // The two options would resume each other's paused toasts: see `pauseOrResume`.
    pauseOnHover={false}
    pauseOnFocusLoss={false}
    hideProgressBar
    theme="auto"
  />,
)

/**
 * Pauses toasts that are hovered or focused, and all toasts while another window has focus. The library resumes each
 * toast once it has faded in, even under the pointer.
 */
function pauseOrResume() {
  for (const toastElement of container.querySelectorAll('.Toastify__toast')) {
    const isPaused = !document.hasFocus() || toastElement.matches(':hover, :focus-within')
    const apply = isPaused ? toastify.pause : toastify.play
    apply({ id: toastElement.id })
  }
}
for (const event of ['pointerover', 'pointerout', 'pointerup', 'focusin', 'focusout', 'animationend'])
  container.addEventListener(event, pauseOrResume)
for (const event of ['focus', 'blur']) addEventListener(event, pauseOrResume)
toastify.onChange(({ status }) => status === 'added' && requestAnimationFrame(pauseOrResume))

/** Escape closes the focused toast, otherwise the newest; open dialogs and popovers come first. */
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented) return
  if (document.querySelector('dialog[open], :popover-open')) return
  const focused = document.activeElement?.closest('.Toastify__toast')
  const toastElement = focused ?? container.querySelector('.Toastify__toast:not(.toast-exit)')
  if (toastElement) toastify.dismiss(toastElement.id)
})

export function show({ id, type = 'default', content, position, timeout = 5000, action }: ToastOptions): void {
  toastify(({ closeToast }) => <Content content={content} action={action} onDone={closeToast} />, {
    type,
    autoClose: timeout,
    role: type === 'error' ? 'alert' : 'group',
    ...(position && { position }),
    ...(id && { toastId: id, updateId: id }),
  })
}

interface ContentProps extends Pick<ToastOptions, 'content'> {
  action: ToastOptions['action']
  onDone: () => void
}

function Content({ content, action, onDone }: ContentProps) {
  return (
    <div className="flex min-w-0 flex-1 items-center gap-3">
      <span className="min-w-0 flex-1 break-words">{content}</span>
      {action && (
        <Button
          isSmall
          onClick={() => {
            action.run()
            onDone()
          }}
        >
          {action.label}
        </Button>
      )}
    </div>
  )
}
