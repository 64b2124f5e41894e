/** Sends a request like `fetch`, which cannot report progress, and reports the fraction of the body that was sent. */
export async function sendWithProgress(request: Request, onProgress: (fraction: number) => void): Promise<Response> {
  const body = await request.blob()
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest()
    sent.open(request.method, request.url)
    for (const [name, value] of request.headers) sent.setRequestHeader(name, value)
    sent.responseType = 'text'
    sent.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    sent.onload = () => {
      const { status, statusText } = sent
      const type = sent.getResponseHeader('content-type')
      const content = [204, 205, 304].includes(status) ? null : sent.responseText
      resolve(new Response(content, { status, statusText, headers: type ? { 'content-type': type } : {} }))
    }
    sent.onerror = () => reject(new TypeError('The request failed'))
    sent.onabort = () => reject(request.signal.reason)
    if (request.signal.aborted) reject(request.signal.reason)
    else {
      request.signal.addEventListener('abort', () => sent.abort())
      sent.send(body)
    }
  })
}
