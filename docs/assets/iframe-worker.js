// Lets search work on pages that are opened from a disk: browsers start no workers there, so a hidden frame runs the
// worker's script instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      this.onmessage = null
      this.onerror = null
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.document.open()
      inside.document.write("<!doctype html><title>search</title>")
      inside.document.close()
      inside.postMessage = data => this.tell(data)
      inside.importScripts = (...scripts) => Promise.all(scripts.map(script => load(inside, script)))
      this.frame = frame
      this.ready = load(inside, address)
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })))
    }
    tell(data) {
      const event = new MessageEvent("message", { data })
      this.dispatchEvent(event)
      if (this.onmessage) this.onmessage(event)
    }
    terminate() {
      this.frame.remove()
    }
  }
  const load = (inside, address) =>
    new Promise((loaded, failed) => {
      const script = inside.document.createElement("script")
      script.src = String(address)
      script.onload = () => loaded()
      script.onerror = () => failed(new Error(`cannot load ${address}`))
      inside.document.body.append(script)
    })
}
