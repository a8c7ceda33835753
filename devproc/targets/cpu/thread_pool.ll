; The thread pool of the CPU runtime (x86-64 and AArch64, POSIX threads).
;
;   void devproc_parallel_for(void (*body)(void *context, int64_t chunk),
;                             void *context, int64_t chunks)
;   void devproc_set_num_threads(int64_t threads)   ; the caller counts as one
;   void devproc_thread_pool_reset(void)            ; before first use, and in a forked child
;   int64_t devproc_thread_pool_start(int64_t threads)  ; the threads that there are then
;   void devproc_thread_pool_stop(void)             ; ends all workers
;
; A process that keeps the pool never stops it; a library that is unloaded must.
;
; A region is one call of devproc_parallel_for. Its chunks form tasks, runs of `group` chunks
; (1, unless there are more chunks than fit), and its tasks form a range per thread, so that a
; thread works on the same part of an image, or of a weight, in one region after the other,
; and finds it in its own cache. The state of a range is one 64-bit word:
;
;   generation (32 bits) | end (16 bits) | next task (16 bits)
;
; so that claiming a task is a single atomic add, on a cache line that only its thread
; touches, until another one has finished its own range and helps. The region ends when all
; tasks are done, not when all workers have come: a worker that the system did not schedule is
; never waited for, and what it would have done, others do.
;
; A worker that claims a task keeps its region open, since the region waits for that task;
; therefore @job cannot change under it. A worker that claims none does not read @job.
;
; @cpu_relax, the processor's hint for a spinning loop, is added by thread_pool.py.

%job = type { ptr, ptr, i64, i64 }   ; body, context, chunks, group
%range = type { i64, i64, [48 x i8] }   ; its word; in the first one the number of ranges

; The first word is announced last, and tells a worker that there is a region.
@ranges = internal global [64 x %range] zeroinitializer, align 64
@range_count = internal alias i64, getelementptr inbounds (%range, ptr @ranges, i32 0, i32 1)
@job = internal global %job zeroinitializer, align 64
@done = internal global i64 0, align 64      ; tasks done; on a cache line of its own
@busy = internal global i32 0, align 64      ; 1 while a region runs
@limit = internal global i64 1, align 64     ; threads that may work, the caller included
@started = internal global i64 0, align 8    ; workers that exist
@handles = internal global [1024 x i64] zeroinitializer, align 8   ; theirs, by number
@sleepers = internal global i32 0, align 64
@mutex = internal global [64 x i8] zeroinitializer, align 64
@wakeup = internal global [64 x i8] zeroinitializer, align 64

; Spinning for some 0.2 ms bridges the gap to the next kernel; then sleep.
@spins_before_sleep = internal constant i64 20000
@spins_before_yield = internal constant i64 2000

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @sched_yield()

; Run chunks `from` to `to` of a body.
define internal void @run_chunks(ptr %body, ptr %context, i64 %from, i64 %to) nounwind {
entry:
  %any = icmp slt i64 %from, %to
  br i1 %any, label %loop, label %end
loop:
  %chunk = phi i64 [ %from, %entry ], [ %next, %loop ]
  call void %body(ptr %context, i64 %chunk)
  %next = add nsw i64 %chunk, 1
  %more = icmp slt i64 %next, %to
  br i1 %more, label %loop, label %end
end:
  ret void
}

define internal ptr @range_word(i64 %number) alwaysinline nounwind {
  %word = getelementptr inbounds [64 x %range], ptr @ranges, i64 0, i64 %number, i32 0
  ret ptr %word
}

define internal i1 @has_task(i64 %word) alwaysinline nounwind {
  %task = and i64 %word, 65535
  %high = lshr i64 %word, 16
  %end = and i64 %high, 65535
  %more = icmp ult i64 %task, %end
  ret i1 %more
}

; Claim and run tasks of a range until none is left, then say how many are done.
define internal void @work_on(i64 %number) nounwind {
entry:
  %at = call ptr @range_word(i64 %number)
  br label %look
look:
  %count = phi i64 [ 0, %entry ], [ %count1, %run ]
  ; Only who sees a task adds: so a counter runs past its end by one per thread at most.
  %seen = load atomic i64, ptr %at monotonic, align 8
  %some = call i1 @has_task(i64 %seen)
  br i1 %some, label %claim, label %end
claim:
  %word = atomicrmw add ptr %at, i64 1 acq_rel
  %got = call i1 @has_task(i64 %word)
  br i1 %got, label %run, label %end
run:
  %task = and i64 %word, 65535
  %body = load ptr, ptr @job, align 8
  %context = load ptr, ptr getelementptr inbounds (%job, ptr @job, i32 0, i32 1), align 8
  %chunks = load i64, ptr getelementptr inbounds (%job, ptr @job, i32 0, i32 2), align 8
  %group = load i64, ptr getelementptr inbounds (%job, ptr @job, i32 0, i32 3), align 8
  %from = mul nsw i64 %task, %group
  %upto = add nsw i64 %from, %group
  %to = call i64 @llvm.smin.i64(i64 %upto, i64 %chunks)
  call void @run_chunks(ptr %body, ptr %context, i64 %from, i64 %to)
  %count1 = add nsw i64 %count, 1
  br label %look
end:
  %any = icmp ne i64 %count, 0
  br i1 %any, label %tell, label %leave
tell:
  %before = atomicrmw add ptr @done, i64 %count release
  br label %leave
leave:
  ret void
}

; Work on the thread's own range, then help with those behind it, the first one after the last.
define internal void @work(i64 %self) nounwind {
entry:
  %ranges = load atomic i64, ptr @range_count monotonic, align 8
  br label %next
next:
  %count = phi i64 [ 0, %entry ], [ %count1, %next ]
  %behind = add i64 %self, %count
  %number = urem i64 %behind, %ranges
  call void @work_on(i64 %number)
  %count1 = add i64 %count, 1
  %more = icmp ult i64 %count1, %ranges
  br i1 %more, label %next, label %end
end:
  ret void
}

; Sleep until the generation is another than `seen`.
define internal void @sleep(i64 %seen) nounwind {
entry:
  %l = call i32 @pthread_mutex_lock(ptr @mutex)
  ; First say that we sleep, then look: the caller does the opposite, so one of the two
  ; sees the other.
  %s = atomicrmw add ptr @sleepers, i32 1 seq_cst
  br label %look
look:
  %word = load atomic i64, ptr @ranges seq_cst, align 8
  %generation = lshr i64 %word, 32
  %same = icmp eq i64 %generation, %seen
  br i1 %same, label %wait, label %end
wait:
  %w = call i32 @pthread_cond_wait(ptr @wakeup, ptr @mutex)
  br label %look
end:
  %t = atomicrmw sub ptr @sleepers, i32 1 seq_cst
  %u = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}

; A worker: wait for a new generation, help with it, until the pool stops.
define internal ptr @worker(ptr %number) nounwind {
entry:
  ; Signals are for the threads of the program.
  %set = alloca [128 x i8], align 64
  %f = call i32 @sigfillset(ptr %set)
  %m = call i32 @pthread_sigmask(i32 0, ptr %set, ptr null)
  %self = ptrtoint ptr %number to i64
  br label %wait
wait:
  %seen = phi i64 [ 0, %entry ], [ %new, %skip ], [ %new, %help ]
  br label %spin
spin:
  %count = phi i64 [ 0, %wait ], [ %count1, %relax ], [ 0, %doze ]
  %word = load atomic i64, ptr @ranges acquire, align 8
  %new = lshr i64 %word, 32
  %fresh = icmp ne i64 %new, %seen
  br i1 %fresh, label %check, label %idle
idle:
  %count1 = add i64 %count, 1
  %most = load i64, ptr @spins_before_sleep
  %tired = icmp ugt i64 %count1, %most
  br i1 %tired, label %doze, label %relax
relax:
  call void @cpu_relax()
  br label %spin
doze:
  call void @sleep(i64 %seen)
  br label %spin
check:
  ; Those above the limit look on; a limit of 0 stops all.
  %limit = load atomic i64, ptr @limit monotonic, align 8
  %wanted = icmp slt i64 %self, %limit
  br i1 %wanted, label %help, label %skip
skip:
  %stopped = icmp eq i64 %limit, 0
  br i1 %stopped, label %leave, label %wait
leave:
  ret ptr null
help:
  call void @work(i64 %self)
  br label %wait
}

; Start the workers that are missing for `threads`; fewer if the system refuses.
define internal void @start_workers(i64 %threads) nounwind {
entry:
  br label %next
next:
  %have = load i64, ptr @started, align 8
  %number = add nsw i64 %have, 1
  %missing = icmp slt i64 %number, %threads
  %fits = icmp slt i64 %number, 1024
  %wanted = and i1 %missing, %fits
  br i1 %wanted, label %create, label %end
create:
  %handle = getelementptr inbounds [1024 x i64], ptr @handles, i64 0, i64 %number
  %argument = inttoptr i64 %number to ptr
  %error = call i32 @pthread_create(ptr %handle, ptr null, ptr @worker, ptr %argument)
  %ok = icmp eq i32 %error, 0
  br i1 %ok, label %created, label %end
created:
  store i64 %number, ptr @started, align 8
  br label %next
end:
  ret void
}

; Share tasks among ranges for `threads`; from the last range to the first, which all watch.
define internal void @announce(i64 %tasks, i64 %threads) nounwind {
entry:
  %wanted = call i64 @llvm.smin.i64(i64 %tasks, i64 %threads)
  %ranges = call i64 @llvm.smin.i64(i64 %wanted, i64 64)
  store atomic i64 %ranges, ptr @range_count monotonic, align 8
  %old = load atomic i64, ptr @ranges monotonic, align 8
  %old_generation = lshr i64 %old, 32
  %generation = add i64 %old_generation, 1
  %high = shl i64 %generation, 32
  br label %next
next:
  %upto = phi i64 [ %ranges, %entry ], [ %number, %next ]
  %end = phi i64 [ %tasks, %entry ], [ %begin, %next ]
  %number = sub nsw i64 %upto, 1
  %product = mul nsw i64 %tasks, %number
  %begin = sdiv i64 %product, %ranges
  %middle = shl i64 %end, 16
  %counters = or i64 %middle, %begin
  %word = or i64 %high, %counters
  %at = call ptr @range_word(i64 %number)
  %x = atomicrmw xchg ptr %at, i64 %word seq_cst
  %more = icmp ne i64 %number, 0
  br i1 %more, label %next, label %last
last:
  ret void
}

define void @devproc_parallel_for(ptr %body, ptr %context, i64 %chunks) nounwind {
entry:
  %limit = load atomic i64, ptr @limit monotonic, align 8
  %single = icmp sle i64 %limit, 1
  %few = icmp sle i64 %chunks, 1
  %alone = or i1 %single, %few
  br i1 %alone, label %serial, label %lock
lock:
  ; Taken: a region inside a body, or another thread of the program is in a region.
  %pair = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %free = extractvalue { i32, i1 } %pair, 1
  br i1 %free, label %begin, label %serial
serial:
  call void @run_chunks(ptr %body, ptr %context, i64 0, i64 %chunks)
  ret void

begin:
  call void @start_workers(i64 %limit)
  ; The counters have 16 bits, and each thread may count one too far.
  %more = add nsw i64 %chunks, 32767
  %group = sdiv i64 %more, 32768
  %round = add nsw i64 %chunks, %group
  %up = sub nsw i64 %round, 1
  %tasks = sdiv i64 %up, %group
  store ptr %body, ptr @job, align 8
  store ptr %context, ptr getelementptr inbounds (%job, ptr @job, i32 0, i32 1), align 8
  store i64 %chunks, ptr getelementptr inbounds (%job, ptr @job, i32 0, i32 2), align 8
  store i64 %group, ptr getelementptr inbounds (%job, ptr @job, i32 0, i32 3), align 8
  store atomic i64 0, ptr @done monotonic, align 8
  call void @announce(i64 %tasks, i64 %limit)
  %sleepers = load atomic i32, ptr @sleepers seq_cst, align 4
  %asleep = icmp ne i32 %sleepers, 0
  br i1 %asleep, label %wake, label %work
wake:
  %l = call i32 @pthread_mutex_lock(ptr @mutex)
  %b = call i32 @pthread_cond_broadcast(ptr @wakeup)
  %u = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %work
work:
  call void @work(i64 0)
  br label %join
join:
  %count = phi i64 [ 0, %work ], [ %count1, %relax ], [ %count1, %yield ]
  %done = load atomic i64, ptr @done acquire, align 8
  %all = icmp eq i64 %done, %tasks
  br i1 %all, label %end, label %idle
idle:
  %count1 = add i64 %count, 1
  %most = load i64, ptr @spins_before_yield
  %long = icmp ugt i64 %count1, %most
  br i1 %long, label %yield, label %relax
relax:
  call void @cpu_relax()
  br label %join
yield:
  ; The last task may sit on a core that we keep from it.
  %y = call i32 @sched_yield()
  br label %join
end:
  store atomic i32 0, ptr @busy release, align 4
  ret void
}

define void @devproc_set_num_threads(i64 %threads) nounwind {
  %clamped = call i64 @llvm.smax.i64(i64 %threads, i64 1)
  store atomic i64 %clamped, ptr @limit monotonic, align 8
  ret void
}

define i64 @devproc_thread_pool_start(i64 %threads) nounwind {
  call void @start_workers(i64 %threads)
  %workers = load i64, ptr @started, align 8
  %all = add nsw i64 %workers, 1
  ret i64 %all
}

; Joined, since the code may be unmapped afterwards. Not during a region.
define void @devproc_thread_pool_stop() nounwind {
entry:
  store atomic i64 0, ptr @limit monotonic, align 8
  %w = atomicrmw add ptr @ranges, i64 4294967296 seq_cst   ; a new generation, without tasks
  %l = call i32 @pthread_mutex_lock(ptr @mutex)
  %b = call i32 @pthread_cond_broadcast(ptr @wakeup)
  %u = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %next
next:
  %workers = load i64, ptr @started, align 8
  %any = icmp ne i64 %workers, 0
  br i1 %any, label %join, label %end
join:
  %handle = getelementptr inbounds [1024 x i64], ptr @handles, i64 0, i64 %workers
  %thread = load i64, ptr %handle, align 8
  %j = call i32 @pthread_join(i64 %thread, ptr null)
  %left = sub nsw i64 %workers, 1
  store i64 %left, ptr @started, align 8
  br label %next
end:
  ret void
}

define void @devproc_thread_pool_reset() nounwind {
  ; The fork may have come in the middle of a region of another thread: without this, the
  ; first worker of the child would go on with what is left of it.
  call void @llvm.memset.p0.i64(ptr align 64 @ranges, i8 0, i64 4096, i1 false)
  %m = call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  %c = call i32 @pthread_cond_init(ptr @wakeup, ptr null)
  store i64 0, ptr @started, align 8
  store atomic i32 0, ptr @sleepers monotonic, align 4
  store atomic i32 0, ptr @busy monotonic, align 4
  ret void
}
