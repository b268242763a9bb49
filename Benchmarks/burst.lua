-- SPDX-License-Identifier: MIT
-- For wrk: prints the seconds that blackbox_exporter reports for the first request of each connection.

local seen, wanted

function init(arguments)
  seen, wanted = 0, tonumber(arguments[1])
end

function response(_, _, body)
  if seen == wanted then return end
  seen = seen + 1
  print("reported " .. (body:match("\nprobe_duration_seconds (%S+)") or "nothing"))
  if seen == wanted then wrk.thread:stop() end
end
