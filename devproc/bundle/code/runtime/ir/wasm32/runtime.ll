%struct.bundle_program = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i32, i32, i32, i32, i32, i32, [32 x i8] }
%struct.golden_bound = type { double, double }
%struct.bundle_code = type { ptr, ptr, ptr, i32, i32, i32, i32, i32, i32 }
%struct.bundle_slot = type { i32, i32, i32, i32, i64, i64 }
%struct.bundle_text = type { ptr, i64, i64 }
%struct.bundle_tensor = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i32, i32, i32, i32, i64, [2 x i64], i64 }
%struct.bundle_report = type { i32, i32, ptr, ptr, i64, double, double, double }
%struct.bundle_level = type { ptr, ptr, ptr, i32, i32 }
%struct.bundle_step = type { ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i64 }
%struct.golden_run = type { ptr, ptr, ptr, ptr, i64, i64, i32 }
%struct.kernel_walk = type { ptr, ptr, ptr, i32 }

@texts = internal unnamed_addr constant [18 x ptr] [ptr @.str.5, ptr @.str.6, ptr @.str.7, ptr @.str.8, ptr @.str.9, ptr @.str.10, ptr @.str.11, ptr @.str.12, ptr @.str.13, ptr @.str.14, ptr @.str.15, ptr @.str.16, ptr @.str.17, ptr @.str.18, ptr @.str.19, ptr @.str.20, ptr @.str.21, ptr @.str.22], align 16
@.str = private unnamed_addr constant [13 x i8] c"not a status\00", align 1
@bundle_tables = external constant %struct.bundle_program, align 8
@.str.1 = private unnamed_addr constant [111 x i8] c"the system has not got so many, or another instance of this bundle uses another number or another parallel_for\00", align 1
@.str.2 = private unnamed_addr constant [6 x i8] c"bytes\00", align 1
@.str.4 = private unnamed_addr constant [18 x i8] c"inputs or outputs\00", align 1
@.str.5 = private unnamed_addr constant [9 x i8] c"no error\00", align 1
@.str.6 = private unnamed_addr constant [18 x i8] c"a pointer is NULL\00", align 1
@.str.7 = private unnamed_addr constant [133 x i8] c"a struct has another size than the library's; initialise it with the macro of the header that was written together with this library\00", align 1
@.str.8 = private unnamed_addr constant [102 x i8] c"the header has another ABI version than the library; use the header that was written together with it\00", align 1
@.str.9 = private unnamed_addr constant [99 x i8] c"the header describes another interface; use the header that was written together with this library\00", align 1
@.str.10 = private unnamed_addr constant [90 x i8] c"this CPU lacks an instruction set that the code needs; export the bundle for a lesser one\00", align 1
@.str.11 = private unnamed_addr constant [152 x i8] c"the weights are not those of this program; give the whole content of the .weights file that was written together with this library, aligned to 64 bytes\00", align 1
@.str.12 = private unnamed_addr constant [51 x i8] c"the given memory is smaller than the program needs\00", align 1
@.str.13 = private unnamed_addr constant [25 x i8] c"a pointer is not aligned\00", align 1
@.str.14 = private unnamed_addr constant [30 x i8] c"the system has no memory left\00", align 1
@.str.15 = private unnamed_addr constant [40 x i8] c"the threads asked for are not to be had\00", align 1
@.str.16 = private unnamed_addr constant [80 x i8] c"the instance is in use by another call; give each thread an instance of its own\00", align 1
@.str.17 = private unnamed_addr constant [46 x i8] c"an output overlaps an input or another output\00", align 1
@.str.18 = private unnamed_addr constant [23 x i8] c"there is no such state\00", align 1
@.str.19 = private unnamed_addr constant [156 x i8] c"the golden cases are not those of this program; give the whole content of the .golden file that was written together with this library, aligned to 64 bytes\00", align 1
@.str.20 = private unnamed_addr constant [56 x i8] c"a value is further from its golden value than the bound\00", align 1
@.str.21 = private unnamed_addr constant [67 x i8] c"the handle is not that of an instance: destroyed, or never created\00", align 1
@.str.22 = private unnamed_addr constant [38 x i8] c"the GPU cannot be used, or has failed\00", align 1
@.str.23 = private unnamed_addr constant [7 x i8] c"memory\00", align 1
@.str.24 = private unnamed_addr constant [44 x i8] c"memory is NULL, and this system has no heap\00", align 1
@.str.25 = private unnamed_addr constant [62 x i8] c"parallel_for is given, but the bundle was not exported for it\00", align 1
@.str.26 = private unnamed_addr constant [38 x i8] c"more than the bundle was exported for\00", align 1
@.str.27 = private unnamed_addr constant [62 x i8] c"there is no code for a processor of the name that `cpu` gives\00", align 1
@.str.28 = private unnamed_addr constant [8 x i8] c"weights\00", align 1
@.str.29 = private unnamed_addr constant [40 x i8] c"weights are NULL, and none are embedded\00", align 1
@.str.30 = private unnamed_addr constant [26 x i8] c"their hash is another one\00", align 1
@are_our_weights.magic = internal constant [9 x i8] c"DPWEIGHT\00", align 1
@.str.31 = private unnamed_addr constant [3 x i8] c": \00", align 1
@.str.32 = private unnamed_addr constant [16 x i8] c" expected, got \00", align 1
@.str.33 = private unnamed_addr constant [3 x i8] c" '\00", align 1
@.str.34 = private unnamed_addr constant [2 x i8] c"'\00", align 1
@.str.35 = private unnamed_addr constant [6 x i8] c"input\00", align 1
@.str.36 = private unnamed_addr constant [7 x i8] c"output\00", align 1
@.str.37 = private unnamed_addr constant [20 x i8] c"number out of range\00", align 1
@.str.38 = private unnamed_addr constant [35 x i8] c"another size in bytes than that of\00", align 1
@.str.39 = private unnamed_addr constant [20 x i8] c"values of the state\00", align 1
@.str.40 = private unnamed_addr constant [11 x i8] c"the report\00", align 1
@.str.41 = private unnamed_addr constant [24 x i8] c"memory of the self-test\00", align 1
@.str.42 = private unnamed_addr constant [33 x i8] c"for the outputs of the self-test\00", align 1
@.str.43 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@.str.44 = private unnamed_addr constant [33 x i8] c"NULL, or not aligned to 64 bytes\00", align 1
@.str.45 = private unnamed_addr constant [35 x i8] c"truncated, or longer than they are\00", align 1
@section_problem.magic = internal constant [9 x i8] c"DPGOLDEN\00", align 1
@.str.46 = private unnamed_addr constant [44 x i8] c"no file of golden cases, or a truncated one\00", align 1
@.str.47 = private unnamed_addr constant [25 x i8] c"those of another program\00", align 1
@.str.48 = private unnamed_addr constant [8 x i8] c"damaged\00", align 1
@.str.49 = private unnamed_addr constant [10 x i8] c"truncated\00", align 1
@item_size.sizes = internal unnamed_addr constant [11 x i8] c"\01\01\01\02\02\04\08\02\02\04\08", align 1
@.str.50 = private unnamed_addr constant [31 x i8] c"they have no values of kernels\00", align 1
@.str.51 = private unnamed_addr constant [48 x i8] c"they have no values of the kernels for this cpu\00", align 1
@kernel_bounds = internal constant [2 x %struct.golden_bound] [%struct.golden_bound zeroinitializer, %struct.golden_bound { double 1.000000e-03, double 1.000000e-30 }], align 16
@.str.52 = private unnamed_addr constant [10 x i8] c": entry '\00", align 1
@.str.53 = private unnamed_addr constant [8 x i8] c": case \00", align 1
@.str.54 = private unnamed_addr constant [3 x i8] c", \00", align 1
@.str.55 = private unnamed_addr constant [12 x i8] c"', element \00", align 1

define hidden ptr @bundle_api_error_text(i32 noundef %0) local_unnamed_addr #0 {
  %2 = icmp ult i32 %0, 18
  br i1 %2, label %3, label %6

3:
  %4 = getelementptr inbounds nuw ptr, ptr @texts, i32 %0
  %5 = load ptr, ptr %4, align 4
  br label %6

6:
  %7 = phi ptr [ %5, %3 ], [ @.str, %1 ]
  ret ptr %7
}

define hidden i32 @bundle_api_create(ptr noundef readonly captures(address_is_null) %0, ptr noundef writeonly captures(address_is_null) %1) local_unnamed_addr #1 {
  %3 = alloca ptr, align 4
  %4 = icmp eq ptr %1, null
  br i1 %4, label %108, label %5

5:
  store ptr null, ptr %1, align 4
  %6 = icmp eq ptr %0, null
  br i1 %6, label %108, label %7

7:
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #15
  %8 = call fastcc i32 @check_options(ptr noundef %0, ptr noundef %3) #16
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %10, label %106

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 76
  %12 = load i32, ptr %11, align 4
  %13 = getelementptr inbounds nuw i8, ptr %0, i32 48
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i32 52
  %16 = load ptr, ptr %15, align 4
  %17 = tail call i32 @bundle_open_threads(i32 noundef %12, ptr noundef %14, ptr noundef %16) #17
  %18 = icmp eq i32 %17, 0
  br i1 %18, label %19, label %21

19:
  %20 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 10, ptr noundef nonnull @.str.1, i64 noundef 0, i64 noundef 0) #16
  br label %106

21:
  %22 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %23 = load ptr, ptr %22, align 8
  %24 = icmp eq ptr %23, null
  br i1 %24, label %25, label %35

25:
  %26 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 48), align 8
  %27 = tail call ptr @bundle_allocate(i64 noundef %26) #17
  %28 = icmp eq ptr %27, null
  br i1 %28, label %33, label %29

29:
  %30 = load ptr, ptr %22, align 8
  %31 = icmp eq ptr %30, null
  %32 = zext i1 %31 to i32
  br label %35

33:
  tail call void @bundle_close_threads() #17
  %34 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 9, ptr noundef nonnull @.str.2, i64 noundef 0, i64 noundef %26) #16
  br label %106

35:
  %36 = phi i32 [ %32, %29 ], [ 0, %21 ]
  %37 = phi ptr [ %27, %29 ], [ %23, %21 ]
  %38 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 56), align 8
  %39 = trunc i64 %38 to i32
  %40 = getelementptr inbounds nuw i8, ptr %37, i32 %39
  %41 = load ptr, ptr %3, align 4
  %42 = getelementptr inbounds nuw i8, ptr %41, i32 8
  %43 = load ptr, ptr %42, align 4
  %44 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 76), align 4
  %45 = getelementptr %struct.bundle_code, ptr %43, i32 %44
  %46 = tail call fastcc ptr @all_operands(ptr noundef nonnull %40) #16
  %47 = getelementptr i8, ptr %45, i32 -12
  %48 = load i32, ptr %47, align 4
  %49 = getelementptr inbounds nuw ptr, ptr %46, i32 %48
  %50 = getelementptr i8, ptr %45, i32 -20
  %51 = load i32, ptr %50, align 4
  %52 = getelementptr inbounds nuw ptr, ptr %49, i32 %51
  %53 = getelementptr inbounds nuw i8, ptr %0, i32 16
  %54 = load ptr, ptr %53, align 8
  %55 = icmp eq ptr %54, null
  %56 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 20), align 4
  %57 = select i1 %55, ptr %56, ptr %54
  store i64 7810489104209049188, ptr %40, align 8
  %58 = getelementptr inbounds nuw i8, ptr %40, i32 8
  store ptr %57, ptr %58, align 8
  %59 = getelementptr inbounds nuw i8, ptr %40, i32 12
  store ptr %37, ptr %59, align 4
  %60 = getelementptr inbounds nuw i8, ptr %40, i32 16
  store ptr %41, ptr %60, align 8
  %61 = getelementptr inbounds nuw i8, ptr %40, i32 20
  store ptr %52, ptr %61, align 4
  %62 = getelementptr inbounds nuw i8, ptr %40, i32 24
  store ptr null, ptr %62, align 8
  %63 = getelementptr inbounds nuw i8, ptr %40, i32 28
  store i32 0, ptr %63, align 4
  %64 = getelementptr inbounds nuw i8, ptr %40, i32 32
  store i32 %36, ptr %64, align 8
  %65 = getelementptr inbounds nuw i8, ptr %40, i32 36
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 4 dereferenceable(324) %65, i8 0, i64 324, i1 false)
  %66 = tail call fastcc i32 @open_gpu(ptr noundef %40, ptr noundef %0) #16
  %67 = icmp eq i32 %66, 0
  %68 = icmp ne i32 %44, 0
  %69 = and i1 %67, %68
  br i1 %69, label %71, label %70

70:
  br i1 %67, label %100, label %103

71:
  %72 = phi i32 [ %83, %82 ], [ 0, %35 ]
  %73 = load ptr, ptr %3, align 4
  %74 = getelementptr inbounds nuw i8, ptr %73, i32 8
  %75 = load ptr, ptr %74, align 4
  %76 = getelementptr inbounds nuw %struct.bundle_code, ptr %75, i32 %72
  %77 = getelementptr inbounds nuw i8, ptr %76, i32 16
  %78 = load i32, ptr %77, align 4
  %79 = icmp eq i32 %78, 0
  br i1 %79, label %82, label %80

80:
  %81 = getelementptr inbounds nuw i8, ptr %76, i32 4
  br label %85

82:
  %83 = add nuw i32 %72, 1
  %84 = icmp ult i32 %83, %44
  br i1 %84, label %71, label %70

85:
  %86 = phi i32 [ 0, %80 ], [ %97, %85 ]
  %87 = load ptr, ptr %81, align 4
  %88 = getelementptr inbounds nuw %struct.bundle_slot, ptr %87, i32 %86
  %89 = load i32, ptr %88, align 8
  %90 = tail call fastcc ptr @base_of(ptr noundef %40, i32 noundef %89) #16
  %91 = getelementptr inbounds nuw i8, ptr %88, i32 16
  %92 = load i64, ptr %91, align 8
  %93 = trunc i64 %92 to i32
  %94 = getelementptr inbounds nuw i8, ptr %90, i32 %93
  %95 = tail call fastcc ptr @operands_of(ptr noundef nonnull %40, ptr noundef nonnull %76) #16
  %96 = getelementptr inbounds nuw ptr, ptr %95, i32 %86
  store ptr %94, ptr %96, align 4
  %97 = add nuw i32 %86, 1
  %98 = load i32, ptr %77, align 4
  %99 = icmp ult i32 %97, %98
  br i1 %99, label %85, label %82

100:
  %101 = tail call fastcc i32 @reset(ptr noundef nonnull %40) #16
  %102 = icmp eq i32 %101, 0
  br i1 %102, label %105, label %103

103:
  %104 = phi i32 [ %101, %100 ], [ %66, %70 ]
  tail call fastcc void @release(ptr noundef %40) #16
  br label %106

105:
  store ptr %40, ptr %1, align 4
  br label %106

106:
  %107 = phi i32 [ 10, %19 ], [ %8, %7 ], [ 9, %33 ], [ 0, %105 ], [ %104, %103 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #15
  br label %108

108:
  %109 = phi i32 [ %107, %106 ], [ 1, %2 ], [ 1, %5 ]
  ret i32 %109
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #2

define internal fastcc range(i32 0, 11) i32 @check_options(ptr noundef nonnull readonly captures(none) %0, ptr noundef nonnull writeonly captures(none) %1) unnamed_addr #1 {
  %3 = alloca ptr, align 4
  %4 = load i32, ptr %0, align 8
  %5 = icmp eq i32 %4, 88
  br i1 %5, label %6, label %72

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i32 4
  %8 = load i32, ptr %7, align 4
  %9 = icmp eq i32 %8, 1
  br i1 %9, label %13, label %10

10:
  %11 = zext i32 %8 to i64
  %12 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 3, ptr noundef null, i64 noundef %11, i64 noundef 1) #16
  br label %72

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %15 = load i64, ptr %14, align 8
  %16 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 32), align 8
  %17 = icmp eq i64 %15, %16
  br i1 %17, label %20, label %18

18:
  %19 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 4, ptr noundef null, i64 noundef 0, i64 noundef 0) #16
  br label %72

20:
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #15
  %21 = getelementptr inbounds nuw i8, ptr %0, i32 72
  %22 = load ptr, ptr %21, align 8
  %23 = call fastcc ptr @find_level(ptr noundef %22, ptr noundef %3) #16
  store ptr %23, ptr %1, align 4
  %24 = icmp eq ptr %23, null
  br i1 %24, label %25, label %28

25:
  %26 = load ptr, ptr %3, align 4
  %27 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 5, ptr noundef %26, i64 noundef 0, i64 noundef 0) #16
  br label %70

28:
  %29 = tail call fastcc i32 @check_weights(ptr noundef %0) #16
  %30 = icmp eq i32 %29, 0
  br i1 %30, label %31, label %70

31:
  %32 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %33 = load ptr, ptr %32, align 8
  %34 = icmp eq ptr %33, null
  br i1 %34, label %47, label %35

35:
  %36 = getelementptr inbounds nuw i8, ptr %0, i32 40
  %37 = load i64, ptr %36, align 8
  %38 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 48), align 8
  %39 = icmp ult i64 %37, %38
  br i1 %39, label %40, label %42

40:
  %41 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 7, ptr noundef nonnull @.str.2, i64 noundef %37, i64 noundef %38) #16
  br label %70

42:
  %43 = tail call fastcc i32 @is_aligned(ptr noundef %33, i64 noundef 64) #16
  %44 = icmp eq i32 %43, 0
  br i1 %44, label %45, label %53

45:
  %46 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 8, ptr noundef nonnull @.str.23, i64 noundef 0, i64 noundef 0) #16
  br label %70

47:
  %48 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 92), align 4
  %49 = icmp eq i32 %48, 0
  br i1 %49, label %50, label %53

50:
  %51 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 48), align 8
  %52 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 7, ptr noundef nonnull @.str.24, i64 noundef 0, i64 noundef %51) #16
  br label %70

53:
  %54 = getelementptr inbounds nuw i8, ptr %0, i32 48
  %55 = load ptr, ptr %54, align 8
  %56 = icmp eq ptr %55, null
  %57 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 88), align 8
  %58 = icmp eq i32 %57, 2
  %59 = select i1 %56, i1 true, i1 %58
  br i1 %59, label %62, label %60

60:
  %61 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 10, ptr noundef nonnull @.str.25, i64 noundef 0, i64 noundef 0) #16
  br label %70

62:
  %63 = getelementptr inbounds nuw i8, ptr %0, i32 76
  %64 = load i32, ptr %63, align 4
  %65 = icmp eq i32 %57, 0
  %66 = select i1 %65, i32 1, i32 1024
  %67 = icmp ugt i32 %64, %66
  br i1 %67, label %68, label %70

68:
  %69 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 10, ptr noundef nonnull @.str.26, i64 noundef 0, i64 noundef 0) #16
  br label %70

70:
  %71 = phi i32 [ 5, %25 ], [ 7, %50 ], [ 7, %40 ], [ 10, %60 ], [ 10, %68 ], [ %29, %28 ], [ 8, %45 ], [ 0, %62 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #15
  br label %72

72:
  %73 = phi i32 [ %71, %70 ], [ 3, %10 ], [ 4, %18 ], [ 2, %2 ]
  ret i32 %73
}

declare i32 @bundle_open_threads(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #3

define internal fastcc noundef range(i32 3, 11) i32 @refuse(ptr noundef nonnull readonly captures(none) %0, i32 noundef returned range(i32 3, 11) %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) unnamed_addr #1 {
  %6 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #15
  %7 = getelementptr inbounds nuw i8, ptr %0, i32 56
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i32 64
  %10 = load i64, ptr %9, align 8
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %6, ptr noundef %8, i64 noundef %10, i32 noundef %1) #16
  %11 = icmp eq ptr %2, null
  br i1 %11, label %13, label %12

12:
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull @.str.31) #17
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull %2) #17
  br label %13

13:
  %14 = icmp eq i64 %4, 0
  br i1 %14, label %16, label %15

15:
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull @.str.31) #17
  call void @bundle_add_number(ptr noundef nonnull %6, i64 noundef %4) #17
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull @.str.32) #17
  call void @bundle_add_number(ptr noundef nonnull %6, i64 noundef %3) #17
  br label %16

16:
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #15
  ret i32 %1
}

declare ptr @bundle_allocate(i64 noundef) local_unnamed_addr #3

declare void @bundle_close_threads() local_unnamed_addr #3

define internal fastcc nonnull ptr @all_operands(ptr noundef readnone captures(ret: address, provenance) %0) unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i32 384
  ret ptr %2
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #4

define internal fastcc range(i32 0, 18) i32 @open_gpu(ptr noundef nonnull captures(none) %0, ptr noundef nonnull readonly captures(none) %1) unnamed_addr #1 {
  %3 = alloca %struct.bundle_text, align 8
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 24), align 8
  %5 = icmp eq ptr %4, null
  br i1 %5, label %30, label %6

6:
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #15
  %7 = getelementptr inbounds nuw i8, ptr %1, i32 56
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i32 64
  %10 = load i64, ptr %9, align 8
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %3, ptr noundef %8, i64 noundef %10, i32 noundef 17) #16
  call void @bundle_add(ptr noundef nonnull %3, ptr noundef nonnull @.str.31) #17
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 12
  %12 = load ptr, ptr %11, align 4
  %13 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 64), align 8
  %14 = trunc i64 %13 to i32
  %15 = getelementptr inbounds nuw i8, ptr %12, i32 %14
  %16 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %17 = load ptr, ptr %16, align 8
  %18 = call i32 @bundle_gpu_open(ptr noundef %15, ptr noundef nonnull %4, ptr noundef %17, ptr noundef nonnull %3) #17
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %28, label %20

20:
  %21 = getelementptr inbounds nuw i8, ptr %3, i32 8
  %22 = load i64, ptr %21, align 8
  %23 = icmp eq i64 %22, 0
  br i1 %23, label %26, label %24

24:
  %25 = load ptr, ptr %3, align 8
  store i8 0, ptr %25, align 1
  br label %26

26:
  %27 = getelementptr inbounds nuw i8, ptr %0, i32 24
  store ptr %15, ptr %27, align 8
  br label %28

28:
  %29 = phi i32 [ 0, %26 ], [ 17, %6 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #15
  br label %30

30:
  %31 = phi i32 [ %29, %28 ], [ 0, %2 ]
  ret i32 %31
}

define internal fastcc ptr @base_of(ptr noundef nonnull readonly captures(none) %0, i32 noundef %1) unnamed_addr #1 {
  %3 = icmp eq i32 %1, 2
  br i1 %3, label %4, label %7

4:
  %5 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %6 = load ptr, ptr %5, align 8
  br label %16

7:
  %8 = icmp ugt i32 %1, 5
  br i1 %8, label %9, label %13

9:
  %10 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %11 = load ptr, ptr %10, align 8
  %12 = tail call ptr @bundle_gpu_base(ptr noundef %11, i32 noundef %1) #17
  br label %16

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i32 12
  %15 = load ptr, ptr %14, align 4
  br label %16

16:
  %17 = phi ptr [ %6, %4 ], [ %12, %9 ], [ %15, %13 ]
  ret ptr %17
}

define internal fastcc nonnull ptr @operands_of(ptr noundef readnone captures(ret: address, provenance) %0, ptr noundef readonly captures(none) %1) unnamed_addr #5 {
  %3 = tail call fastcc ptr @all_operands(ptr noundef %0) #16
  %4 = getelementptr inbounds nuw i8, ptr %1, i32 24
  %5 = load i32, ptr %4, align 4
  %6 = getelementptr inbounds nuw ptr, ptr %3, i32 %5
  ret ptr %6
}

declare void @llvm.lifetime.end.p0(ptr captures(none)) #2

define internal fastcc i32 @reset(ptr noundef %0) unnamed_addr #1 {
  %2 = tail call fastcc i32 @enter_gpu(ptr noundef %0) #16
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %4, label %30

4:
  %5 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 80), align 8
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %11, label %7

7:
  %8 = getelementptr inbounds nuw i8, ptr %0, i32 20
  %9 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %10 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 16), align 8
  br label %14

11:
  %12 = phi i32 [ 0, %4 ], [ %25, %14 ]
  %13 = tail call fastcc i32 @leave_gpu(ptr noundef %0, i32 noundef %12) #16
  br label %30

14:
  %15 = phi i32 [ 0, %7 ], [ %26, %14 ]
  %16 = load ptr, ptr %8, align 4
  %17 = getelementptr inbounds nuw i32, ptr %16, i32 %15
  store i32 0, ptr %17, align 4
  %18 = tail call fastcc ptr @state_place(ptr noundef %0, i32 noundef %15, i32 noundef 0) #16
  %19 = load ptr, ptr %9, align 8
  %20 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %10, i32 %15
  %21 = getelementptr inbounds nuw i8, ptr %20, i32 56
  %22 = load i64, ptr %21, align 8
  %23 = trunc i64 %22 to i32
  %24 = getelementptr inbounds nuw i8, ptr %19, i32 %23
  %25 = tail call fastcc i32 @copy_state(ptr noundef %0, i32 noundef %15, ptr noundef %18, ptr noundef %24) #16
  %26 = add nuw i32 %15, 1
  %27 = icmp eq i32 %25, 0
  %28 = icmp ult i32 %26, %5
  %29 = select i1 %27, i1 %28, i1 false
  br i1 %29, label %14, label %11

30:
  %31 = phi i32 [ %13, %11 ], [ %2, %1 ]
  ret i32 %31
}

define internal fastcc void @release(ptr noundef nonnull captures(none) initializes((0, 8)) %0) unnamed_addr #1 {
  store i64 0, ptr %0, align 8
  %2 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %6, label %5

5:
  tail call void @bundle_gpu_close(ptr noundef nonnull %3) #17
  br label %6

6:
  tail call void @bundle_close_threads() #17
  %7 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %8 = load i32, ptr %7, align 8
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %13, label %10

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 12
  %12 = load ptr, ptr %11, align 4
  tail call void @bundle_free(ptr noundef %12) #17
  br label %13

13:
  ret void
}

define hidden i32 @bundle_trace_entry(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef readonly captures(address_is_null) %2, ptr noundef readonly captures(address_is_null) %3, ptr noundef readonly captures(address_is_null) %4, ptr noundef %5) local_unnamed_addr #1 {
  %7 = tail call fastcc i32 @enter(ptr noundef %1) #16
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %9, label %23

9:
  %10 = icmp ne ptr %2, null
  %11 = icmp ne ptr %3, null
  %12 = and i1 %10, %11
  br i1 %12, label %15, label %13

13:
  %14 = tail call fastcc i32 @fail(ptr noundef %1, i32 noundef 1, ptr noundef nonnull @.str.4, ptr noundef null) #16
  br label %20

15:
  %16 = tail call fastcc i32 @check_tensors(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #16
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %18, label %20

18:
  %19 = tail call fastcc i32 @execute(ptr noundef %0, ptr noundef %1, ptr noundef nonnull %2, ptr noundef nonnull %3, ptr noundef %4, ptr noundef %5) #16
  br label %20

20:
  %21 = phi i32 [ 1, %13 ], [ %16, %15 ], [ %19, %18 ]
  %22 = tail call fastcc i32 @leave(ptr noundef %1, i32 noundef %21) #16
  br label %23

23:
  %24 = phi i32 [ %7, %6 ], [ %21, %20 ]
  ret i32 %24
}

define internal fastcc range(i32 0, 17) i32 @enter(ptr noundef %0) unnamed_addr #6 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %14, label %3

3:
  %4 = tail call fastcc i32 @is_aligned(ptr noundef %0, i64 noundef 64) #16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %14, label %6

6:
  %7 = load i64, ptr %0, align 8
  %8 = icmp eq i64 %7, 7810489104209049188
  br i1 %8, label %9, label %14

9:
  %10 = getelementptr inbounds nuw i8, ptr %0, i32 28
  %11 = atomicrmw xchg ptr %10, i32 1 acquire, align 4
  %12 = icmp eq i32 %11, 0
  %13 = select i1 %12, i32 0, i32 11
  br label %14

14:
  %15 = phi i32 [ 1, %1 ], [ %13, %9 ], [ 16, %6 ], [ 16, %3 ]
  ret i32 %15
}

define internal fastcc noundef i32 @leave(ptr noundef writeonly captures(none) %0, i32 noundef returned %1) unnamed_addr #6 {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %4, label %6

4:
  %5 = getelementptr inbounds nuw i8, ptr %0, i32 36
  store i8 0, ptr %5, align 4
  br label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i32 28
  store atomic i32 0, ptr %7 release, align 4
  ret i32 %1
}

define internal fastcc noundef range(i32 1, 15) i32 @fail(ptr noundef %0, i32 noundef returned range(i32 1, 15) %1, ptr noundef %2, ptr noundef %3) unnamed_addr #1 {
  %5 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #15
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 36
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %5, ptr noundef nonnull %6, i64 noundef 320, i32 noundef %1) #16
  %7 = icmp eq ptr %2, null
  br i1 %7, label %9, label %8

8:
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull @.str.31) #17
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull %2) #17
  br label %9

9:
  %10 = icmp eq ptr %3, null
  br i1 %10, label %12, label %11

11:
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull @.str.33) #17
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull %3) #17
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull @.str.34) #17
  br label %12

12:
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #15
  ret i32 %1
}

define internal fastcc range(i32 0, 13) i32 @check_tensors(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef nonnull readonly captures(none) %2, ptr noundef nonnull readonly captures(none) %3) unnamed_addr #1 {
  %5 = getelementptr inbounds nuw i8, ptr %0, i32 28
  %6 = load i32, ptr %5, align 4
  %7 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %8 = load i32, ptr %7, align 8
  %9 = add i32 %8, %6
  %10 = icmp eq i32 %9, 0
  br i1 %10, label %77, label %11

11:
  %12 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %13 = getelementptr inbounds nuw i8, ptr %0, i32 4
  br label %14

14:
  %15 = phi i32 [ 0, %11 ], [ %71, %70 ]
  %16 = icmp ult i32 %15, %6
  br i1 %16, label %17, label %21

17:
  %18 = load ptr, ptr %13, align 4
  %19 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %18, i32 %15
  %20 = getelementptr inbounds nuw ptr, ptr %2, i32 %15
  br label %26

21:
  %22 = load ptr, ptr %12, align 8
  %23 = sub nuw i32 %15, %6
  %24 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %22, i32 %23
  %25 = getelementptr inbounds nuw ptr, ptr %3, i32 %23
  br label %26

26:
  %27 = phi ptr [ %19, %17 ], [ %24, %21 ]
  %28 = phi ptr [ @.str.35, %17 ], [ @.str.36, %21 ]
  %29 = phi ptr [ %20, %17 ], [ %25, %21 ]
  %30 = load ptr, ptr %29, align 4
  %31 = getelementptr inbounds nuw i8, ptr %27, i32 32
  %32 = load i64, ptr %31, align 8
  %33 = icmp eq i64 %32, 0
  br i1 %33, label %70, label %34

34:
  %35 = icmp eq ptr %30, null
  br i1 %35, label %73, label %36

36:
  %37 = getelementptr inbounds nuw i8, ptr %27, i32 48
  %38 = load i32, ptr %37, align 8
  %39 = zext i32 %38 to i64
  %40 = tail call fastcc i32 @is_aligned(ptr noundef %30, i64 noundef %39) #16
  %41 = icmp eq i32 %40, 0
  br i1 %41, label %73, label %42

42:
  %43 = icmp eq i32 %15, 0
  %44 = or i1 %16, %43
  br i1 %44, label %70, label %45

45:
  %46 = phi i32 [ %68, %67 ], [ 0, %42 ]
  %47 = icmp ult i32 %46, %6
  br i1 %47, label %48, label %52

48:
  %49 = load ptr, ptr %13, align 4
  %50 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %49, i32 %46
  %51 = getelementptr inbounds nuw ptr, ptr %2, i32 %46
  br label %57

52:
  %53 = load ptr, ptr %12, align 8
  %54 = sub nuw i32 %46, %6
  %55 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %53, i32 %54
  %56 = getelementptr inbounds nuw ptr, ptr %3, i32 %54
  br label %57

57:
  %58 = phi ptr [ %50, %48 ], [ %55, %52 ]
  %59 = phi ptr [ %51, %48 ], [ %56, %52 ]
  %60 = getelementptr inbounds nuw i8, ptr %58, i32 32
  %61 = load i64, ptr %60, align 8
  %62 = icmp eq i64 %61, 0
  br i1 %62, label %67, label %63

63:
  %64 = load ptr, ptr %59, align 4
  %65 = tail call fastcc i32 @ranges_overlap(ptr noundef %30, i64 noundef %32, ptr noundef %64, i64 noundef %61) #16
  %66 = icmp eq i32 %65, 0
  br i1 %66, label %67, label %73

67:
  %68 = add nuw i32 %46, 1
  %69 = icmp ult i32 %68, %15
  br i1 %69, label %45, label %70

70:
  %71 = add nuw i32 %15, 1
  %72 = icmp eq i32 %71, %9
  br i1 %72, label %77, label %14

73:
  %74 = phi i32 [ 12, %63 ], [ 1, %34 ], [ 8, %36 ]
  %75 = load ptr, ptr %27, align 8
  %76 = tail call fastcc i32 @fail(ptr noundef %1, i32 noundef %74, ptr noundef nonnull %28, ptr noundef %75) #16
  br label %77

77:
  %78 = phi i32 [ %74, %73 ], [ 0, %4 ], [ 0, %70 ]
  ret i32 %78
}

define internal fastcc i32 @execute(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef readonly captures(none) %2, ptr noundef readonly captures(none) %3, ptr noundef readonly captures(address_is_null) %4, ptr noundef %5) unnamed_addr #1 {
  %7 = tail call fastcc ptr @code_of(ptr noundef %1, ptr noundef %0) #16
  %8 = tail call fastcc i32 @enter_gpu(ptr noundef %1) #16
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %10, label %42

10:
  %11 = getelementptr inbounds nuw i8, ptr %7, i32 28
  br label %12

12:
  %13 = phi i32 [ 0, %10 ], [ %28, %26 ]
  %14 = load i32, ptr %11, align 4
  %15 = icmp ult i32 %13, %14
  br i1 %15, label %26, label %16

16:
  %17 = phi i32 [ %27, %26 ], [ 0, %12 ]
  %18 = tail call fastcc i32 @leave_gpu(ptr noundef %1, i32 noundef %17) #16
  %19 = getelementptr inbounds nuw i8, ptr %7, i32 20
  %20 = icmp eq i32 %18, 0
  br i1 %20, label %21, label %42

21:
  %22 = getelementptr inbounds nuw i8, ptr %1, i32 20
  %23 = getelementptr inbounds nuw i8, ptr %7, i32 8
  %24 = load i32, ptr %19, align 4
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %42, label %30

26:
  tail call fastcc void @bind(ptr noundef %1, ptr noundef nonnull %7, ptr noundef %2, ptr noundef %3, i32 noundef %13) #16
  %27 = tail call fastcc i32 @run_steps(ptr noundef %1, ptr noundef nonnull %7, ptr noundef %4, ptr noundef %5) #16
  %28 = add nuw i32 %13, 1
  %29 = icmp eq i32 %27, 0
  br i1 %29, label %12, label %16

30:
  %31 = phi i32 [ %39, %30 ], [ 0, %21 ]
  %32 = load ptr, ptr %22, align 4
  %33 = load ptr, ptr %23, align 4
  %34 = getelementptr inbounds nuw i32, ptr %33, i32 %31
  %35 = load i32, ptr %34, align 4
  %36 = getelementptr inbounds nuw i32, ptr %32, i32 %35
  %37 = load i32, ptr %36, align 4
  %38 = xor i32 %37, 1
  store i32 %38, ptr %36, align 4
  %39 = add nuw i32 %31, 1
  %40 = load i32, ptr %19, align 4
  %41 = icmp ult i32 %39, %40
  br i1 %41, label %30, label %42

42:
  %43 = phi i32 [ %8, %6 ], [ %18, %16 ], [ 0, %21 ], [ 0, %30 ]
  ret i32 %43
}

define hidden i32 @bundle_api_reset(ptr noundef %0) local_unnamed_addr #1 {
  %2 = tail call fastcc i32 @enter(ptr noundef %0) #16
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %4, label %7

4:
  %5 = tail call fastcc i32 @reset(ptr noundef %0) #16
  %6 = tail call fastcc i32 @leave(ptr noundef %0, i32 noundef %5) #16
  br label %7

7:
  %8 = phi i32 [ %5, %4 ], [ %2, %1 ]
  ret i32 %8
}

define hidden i32 @bundle_api_get_state(ptr noundef %0, i32 noundef %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #1 {
  %5 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #15
  %6 = tail call fastcc i32 @enter(ptr noundef %0) #16
  store i32 %6, ptr %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %18

8:
  %9 = call fastcc ptr @state_memory(ptr noundef %0, i32 noundef %1, ptr noundef %2, i64 noundef %3, ptr noundef %5) #16
  %10 = icmp eq ptr %9, null
  br i1 %10, label %11, label %13

11:
  %12 = load i32, ptr %5, align 4
  br label %15

13:
  %14 = tail call fastcc i32 @move_state(ptr noundef %0, i32 noundef %1, ptr noundef %2, ptr noundef nonnull %9) #16
  br label %15

15:
  %16 = phi i32 [ %12, %11 ], [ %14, %13 ]
  %17 = tail call fastcc i32 @leave(ptr noundef %0, i32 noundef %16) #16
  br label %18

18:
  %19 = phi i32 [ %16, %15 ], [ %6, %4 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #15
  ret i32 %19
}

define internal fastcc ptr @state_memory(ptr noundef %0, i32 noundef %1, ptr noundef readnone captures(address_is_null) %2, i64 noundef %3, ptr noundef nonnull writeonly captures(none) %4) unnamed_addr #1 {
  %6 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 80), align 8
  %7 = icmp ult i32 %1, %6
  br i1 %7, label %10, label %8

8:
  %9 = tail call fastcc i32 @fail(ptr noundef %0, i32 noundef 13, ptr noundef nonnull @.str.37, ptr noundef null) #16
  store i32 13, ptr %4, align 4
  br label %32

10:
  %11 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 16), align 8
  %12 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %11, i32 %1
  %13 = getelementptr inbounds nuw i8, ptr %12, i32 32
  %14 = load i64, ptr %13, align 8
  %15 = icmp eq i64 %3, %14
  br i1 %15, label %19, label %16

16:
  %17 = load ptr, ptr %12, align 8
  %18 = tail call fastcc i32 @fail(ptr noundef %0, i32 noundef 13, ptr noundef nonnull @.str.38, ptr noundef %17) #16
  store i32 13, ptr %4, align 4
  br label %32

19:
  %20 = icmp eq ptr %2, null
  %21 = icmp ne i64 %3, 0
  %22 = and i1 %20, %21
  br i1 %22, label %23, label %26

23:
  %24 = load ptr, ptr %12, align 8
  %25 = tail call fastcc i32 @fail(ptr noundef %0, i32 noundef 1, ptr noundef nonnull @.str.39, ptr noundef %24) #16
  store i32 1, ptr %4, align 4
  br label %32

26:
  %27 = getelementptr inbounds nuw i8, ptr %0, i32 20
  %28 = load ptr, ptr %27, align 4
  %29 = getelementptr inbounds nuw i32, ptr %28, i32 %1
  %30 = load i32, ptr %29, align 4
  %31 = tail call fastcc ptr @state_place(ptr noundef %0, i32 noundef %1, i32 noundef %30) #16
  br label %32

32:
  %33 = phi ptr [ %31, %26 ], [ null, %16 ], [ null, %23 ], [ null, %8 ]
  ret ptr %33
}

define internal fastcc i32 @move_state(ptr noundef %0, i32 noundef %1, ptr noundef %2, ptr noundef %3) unnamed_addr #1 {
  %5 = tail call fastcc i32 @enter_gpu(ptr noundef %0) #16
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %7, label %10

7:
  %8 = tail call fastcc i32 @copy_state(ptr noundef %0, i32 noundef %1, ptr noundef %2, ptr noundef %3) #16
  %9 = tail call fastcc i32 @leave_gpu(ptr noundef %0, i32 noundef %8) #16
  br label %10

10:
  %11 = phi i32 [ %9, %7 ], [ %5, %4 ]
  ret i32 %11
}

define hidden i32 @bundle_api_set_state(ptr noundef %0, i32 noundef %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #1 {
  %5 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #15
  %6 = tail call fastcc i32 @enter(ptr noundef %0) #16
  store i32 %6, ptr %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %18

8:
  %9 = call fastcc ptr @state_memory(ptr noundef %0, i32 noundef %1, ptr noundef %2, i64 noundef %3, ptr noundef %5) #16
  %10 = icmp eq ptr %9, null
  br i1 %10, label %11, label %13

11:
  %12 = load i32, ptr %5, align 4
  br label %15

13:
  %14 = tail call fastcc i32 @move_state(ptr noundef %0, i32 noundef %1, ptr noundef nonnull %9, ptr noundef %2) #16
  br label %15

15:
  %16 = phi i32 [ %12, %11 ], [ %14, %13 ]
  %17 = tail call fastcc i32 @leave(ptr noundef %0, i32 noundef %16) #16
  br label %18

18:
  %19 = phi i32 [ %16, %15 ], [ %6, %4 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #15
  ret i32 %19
}

define hidden range(i32 0, 17) i32 @bundle_api_destroy(ptr noundef %0) local_unnamed_addr #1 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %7, label %3

3:
  %4 = tail call fastcc i32 @enter(ptr noundef nonnull %0) #16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %6, label %7

6:
  tail call fastcc void @release(ptr noundef %0) #16
  br label %7

7:
  %8 = phi i32 [ 0, %1 ], [ 0, %6 ], [ %4, %3 ]
  ret i32 %8
}

define hidden nonnull ptr @bundle_api_last_error(ptr noundef readonly %0) local_unnamed_addr #5 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %11, label %3

3:
  %4 = tail call fastcc i32 @is_aligned(ptr noundef %0, i64 noundef 64) #16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %11, label %6

6:
  %7 = load i64, ptr %0, align 8
  %8 = icmp eq i64 %7, 7810489104209049188
  %9 = getelementptr inbounds nuw i8, ptr %0, i32 36
  %10 = select i1 %8, ptr %9, ptr @.str.21
  br label %11

11:
  %12 = phi ptr [ @.str.6, %1 ], [ @.str.21, %3 ], [ %10, %6 ]
  ret ptr %12
}

define internal fastcc range(i32 0, 2) i32 @is_aligned(ptr noundef nonnull %0, i64 noundef range(i64 0, 4294967296) %1) unnamed_addr #0 {
  %3 = ptrtoint ptr %0 to i32
  %4 = zext i32 %3 to i64
  %5 = add nuw nsw i64 %1, 4294967295
  %6 = and i64 %5, %4
  %7 = icmp eq i64 %6, 0
  %8 = zext i1 %7 to i32
  ret i32 %8
}

define hidden ptr @bundle_api_cpu(ptr noundef readonly %0) local_unnamed_addr #7 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %13, label %3

3:
  %4 = tail call fastcc i32 @is_aligned(ptr noundef %0, i64 noundef 64) #16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %13, label %6

6:
  %7 = load i64, ptr %0, align 8
  %8 = icmp eq i64 %7, 7810489104209049188
  br i1 %8, label %9, label %13

9:
  %10 = getelementptr inbounds nuw i8, ptr %0, i32 16
  %11 = load ptr, ptr %10, align 8
  %12 = load ptr, ptr %11, align 4
  br label %13

13:
  %14 = phi ptr [ %12, %9 ], [ null, %6 ], [ null, %3 ], [ null, %1 ]
  ret ptr %14
}

define hidden i64 @bundle_api_memory_size() local_unnamed_addr #0 {
  %1 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 48), align 8
  ret i64 %1
}

define hidden range(i32 0, 3) i32 @bundle_describe_entry(ptr noundef readonly captures(none) %0, ptr noundef captures(address_is_null) %1) local_unnamed_addr #8 {
  %3 = icmp eq ptr %1, null
  br i1 %3, label %39, label %4

4:
  %5 = load i32, ptr %1, align 8
  %6 = icmp eq i32 %5, 72
  br i1 %6, label %7, label %39

7:
  %8 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 32), align 8
  %9 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 48), align 8
  %10 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 40), align 8
  %11 = load ptr, ptr @bundle_tables, align 8
  %12 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 4), align 4
  %13 = load ptr, ptr %0, align 8
  %14 = getelementptr inbounds nuw i8, ptr %0, i32 4
  %15 = load ptr, ptr %14, align 4
  %16 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %17 = load ptr, ptr %16, align 8
  %18 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 16), align 8
  %19 = getelementptr inbounds nuw i8, ptr %0, i32 28
  %20 = load i32, ptr %19, align 4
  %21 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %22 = load i32, ptr %21, align 8
  %23 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 80), align 8
  %24 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 76), align 4
  %25 = getelementptr inbounds nuw i8, ptr %1, i32 4
  store i32 1, ptr %25, align 4
  %26 = getelementptr inbounds nuw i8, ptr %1, i32 8
  store i64 %8, ptr %26, align 8
  %27 = getelementptr inbounds nuw i8, ptr %1, i32 16
  store i64 %9, ptr %27, align 8
  %28 = getelementptr inbounds nuw i8, ptr %1, i32 24
  store i64 %10, ptr %28, align 8
  %29 = getelementptr inbounds nuw i8, ptr %1, i32 32
  store ptr %11, ptr %29, align 8
  %30 = getelementptr inbounds nuw i8, ptr %1, i32 36
  store ptr %12, ptr %30, align 4
  %31 = getelementptr inbounds nuw i8, ptr %1, i32 40
  store ptr %13, ptr %31, align 8
  %32 = getelementptr inbounds nuw i8, ptr %1, i32 44
  store ptr %15, ptr %32, align 4
  %33 = getelementptr inbounds nuw i8, ptr %1, i32 48
  store ptr %17, ptr %33, align 8
  %34 = getelementptr inbounds nuw i8, ptr %1, i32 52
  store ptr %18, ptr %34, align 4
  %35 = getelementptr inbounds nuw i8, ptr %1, i32 56
  store i32 %20, ptr %35, align 8
  %36 = getelementptr inbounds nuw i8, ptr %1, i32 60
  store i32 %22, ptr %36, align 4
  %37 = getelementptr inbounds nuw i8, ptr %1, i32 64
  store i32 %23, ptr %37, align 8
  %38 = getelementptr inbounds nuw i8, ptr %1, i32 68
  store i32 %24, ptr %38, align 4
  br label %39

39:
  %40 = phi i32 [ 1, %2 ], [ 0, %7 ], [ 2, %4 ]
  ret i32 %40
}

define hidden i64 @bundle_api_selftest_memory_size() local_unnamed_addr #9 {
  %1 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 76), align 4
  %2 = icmp eq i32 %1, 0
  br i1 %2, label %5, label %3

3:
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 12), align 4
  br label %7

5:
  %6 = phi i64 [ 0, %0 ], [ %25, %7 ]
  ret i64 %6

7:
  %8 = phi i64 [ 0, %3 ], [ %25, %7 ]
  %9 = phi i32 [ 0, %3 ], [ %26, %7 ]
  %10 = getelementptr inbounds nuw ptr, ptr %4, i32 %9
  %11 = load ptr, ptr %10, align 4
  %12 = getelementptr inbounds nuw i8, ptr %11, i32 28
  %13 = load i32, ptr %12, align 4
  %14 = getelementptr inbounds nuw i8, ptr %11, i32 32
  %15 = load i32, ptr %14, align 8
  %16 = add i32 %15, %13
  %17 = shl i32 %16, 2
  %18 = zext i32 %17 to i64
  %19 = tail call fastcc i64 @padded(i64 noundef %18) #16
  %20 = getelementptr inbounds nuw i8, ptr %11, i32 8
  %21 = load ptr, ptr %20, align 8
  %22 = tail call fastcc i64 @tensor_bytes(ptr noundef %21, i32 noundef %15) #16
  %23 = add i64 %19, 64
  %24 = add i64 %23, %22
  %25 = tail call i64 @llvm.umax.i64(i64 %24, i64 %8)
  %26 = add nuw i32 %9, 1
  %27 = icmp eq i32 %26, %1
  br i1 %27, label %5, label %7
}

define internal fastcc noundef range(i64 0, -63) i64 @padded(i64 noundef %0) unnamed_addr #0 {
  %2 = add i64 %0, 63
  %3 = and i64 %2, -64
  ret i64 %3
}

define internal fastcc i64 @tensor_bytes(ptr noundef readonly captures(none) %0, i32 noundef %1) unnamed_addr #10 {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %4, label %6

4:
  %5 = phi i64 [ 0, %2 ], [ %13, %6 ]
  ret i64 %5

6:
  %7 = phi i32 [ %14, %6 ], [ 0, %2 ]
  %8 = phi i64 [ %13, %6 ], [ 0, %2 ]
  %9 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %0, i32 %7
  %10 = getelementptr inbounds nuw i8, ptr %9, i32 32
  %11 = load i64, ptr %10, align 8
  %12 = tail call fastcc i64 @padded(i64 noundef %11) #16
  %13 = add i64 %12, %8
  %14 = add nuw i32 %7, 1
  %15 = icmp eq i32 %14, %1
  br i1 %15, label %4, label %6
}

define hidden i32 @bundle_api_selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #1 {
  %6 = tail call fastcc i32 @selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4, i32 noundef 0) #16
  ret i32 %6
}

define internal fastcc i32 @selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4, i32 noundef range(i32 0, 2) %5) unnamed_addr #1 {
  %7 = alloca %struct.bundle_report, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #15
  call void @llvm.memset.p0.i32(ptr noundef nonnull align 8 dereferenceable(48) %7, i8 0, i32 48, i1 false)
  %8 = tail call fastcc i32 @enter(ptr noundef %0) #16
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %10, label %61

10:
  %11 = icmp eq ptr %4, null
  br i1 %11, label %18, label %12

12:
  %13 = load i32, ptr %4, align 8
  %14 = icmp eq i32 %13, 48
  br i1 %14, label %18, label %15

15:
  %16 = tail call fastcc i32 @fail(ptr noundef %0, i32 noundef 2, ptr noundef nonnull @.str.40, ptr noundef null) #16
  %17 = tail call fastcc i32 @leave(ptr noundef %0, i32 noundef 2) #16
  br label %61

18:
  %19 = tail call fastcc ptr @golden_problem(ptr noundef %1, i64 noundef %2) #16
  %20 = icmp eq ptr %19, null
  %21 = icmp ne i32 %5, 0
  %22 = and i1 %21, %20
  br i1 %22, label %23, label %25

23:
  %24 = tail call fastcc ptr @walk_problem(ptr noundef %0, ptr noundef %1) #16
  br label %25

25:
  %26 = phi ptr [ %24, %23 ], [ %19, %18 ]
  %27 = icmp eq ptr %26, null
  br i1 %27, label %31, label %28

28:
  %29 = tail call fastcc i32 @fail(ptr noundef %0, i32 noundef 14, ptr noundef nonnull %26, ptr noundef null) #16
  %30 = tail call fastcc i32 @leave(ptr noundef %0, i32 noundef 14) #16
  br label %61

31:
  %32 = icmp eq ptr %3, null
  br i1 %32, label %39, label %33

33:
  %34 = tail call fastcc i32 @is_aligned(ptr noundef %3, i64 noundef 64) #16
  %35 = icmp eq i32 %34, 0
  br i1 %35, label %36, label %46

36:
  %37 = tail call fastcc i32 @fail(ptr noundef %0, i32 noundef 8, ptr noundef nonnull @.str.41, ptr noundef null) #16
  %38 = tail call fastcc i32 @leave(ptr noundef %0, i32 noundef 8) #16
  br label %61

39:
  %40 = tail call i64 @bundle_api_selftest_memory_size() #16
  %41 = tail call ptr @bundle_allocate(i64 noundef %40) #17
  %42 = icmp eq ptr %41, null
  br i1 %42, label %43, label %46

43:
  %44 = tail call fastcc i32 @fail(ptr noundef %0, i32 noundef 9, ptr noundef nonnull @.str.42, ptr noundef null) #16
  %45 = tail call fastcc i32 @leave(ptr noundef %0, i32 noundef 9) #16
  br label %61

46:
  %47 = phi ptr [ %41, %39 ], [ %3, %33 ]
  %48 = select i1 %11, ptr %7, ptr %4
  store i32 48, ptr %48, align 8
  %49 = select i1 %11, ptr %7, ptr %4
  %50 = getelementptr inbounds nuw i8, ptr %49, i32 4
  store i32 0, ptr %50, align 4
  %51 = select i1 %11, ptr %7, ptr %4
  %52 = getelementptr inbounds nuw i8, ptr %51, i32 8
  store ptr @.str.43, ptr %52, align 8
  %53 = select i1 %11, ptr %7, ptr %4
  %54 = getelementptr inbounds nuw i8, ptr %53, i32 12
  store ptr @.str.43, ptr %54, align 4
  %55 = select i1 %11, ptr %7, ptr %4
  %56 = getelementptr inbounds nuw i8, ptr %55, i32 16
  call void @llvm.memset.p0.i32(ptr noundef nonnull align 8 dereferenceable(32) %56, i8 0, i32 32, i1 false)
  %57 = call fastcc i32 @run_sections(ptr noundef %0, ptr noundef %1, ptr noundef %47, i32 noundef %5, ptr noundef nonnull %48) #16
  br i1 %32, label %58, label %59

58:
  call void @bundle_free(ptr noundef nonnull %47) #17
  br label %59

59:
  %60 = call fastcc i32 @leave(ptr noundef %0, i32 noundef %57) #16
  br label %61

61:
  %62 = phi i32 [ %8, %6 ], [ 2, %15 ], [ 14, %28 ], [ 8, %36 ], [ %57, %59 ], [ 9, %43 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #15
  ret i32 %62
}

define hidden i32 @bundle_api_selftest_ops(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #1 {
  %6 = tail call fastcc i32 @selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4, i32 noundef 1) #16
  ret i32 %6
}

define internal fastcc ptr @find_level(ptr noundef readonly captures(address_is_null) %0, ptr noundef nonnull writeonly captures(none) initializes((0, 4)) %1) unnamed_addr #1 {
  store ptr @.str.27, ptr %1, align 4
  %3 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 72), align 8
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %25, label %5

5:
  %6 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 8), align 8
  %7 = icmp eq ptr %0, null
  br label %8

8:
  %9 = phi i32 [ 0, %5 ], [ %23, %22 ]
  %10 = getelementptr inbounds nuw %struct.bundle_level, ptr %6, i32 %9
  br i1 %7, label %15, label %11

11:
  %12 = load ptr, ptr %10, align 4
  %13 = tail call fastcc i32 @same_text(ptr noundef %0, ptr noundef %12) #16
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %22, label %15

15:
  %16 = getelementptr inbounds nuw i8, ptr %10, i32 4
  %17 = load ptr, ptr %16, align 4
  %18 = getelementptr inbounds nuw i8, ptr %10, i32 12
  %19 = load i32, ptr %18, align 4
  %20 = tail call ptr @bundle_missing_feature(ptr noundef %17, i32 noundef %19) #17
  store ptr %20, ptr %1, align 4
  %21 = icmp eq ptr %20, null
  br i1 %21, label %25, label %22

22:
  %23 = add nuw i32 %9, 1
  %24 = icmp eq i32 %23, %3
  br i1 %24, label %25, label %8

25:
  %26 = phi ptr [ null, %2 ], [ null, %22 ], [ %10, %15 ]
  ret ptr %26
}

define internal fastcc range(i32 0, 9) i32 @check_weights(ptr noundef nonnull readonly captures(none) %0) unnamed_addr #1 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i32 16
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %17, label %5

5:
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %7 = load i64, ptr %6, align 8
  %8 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 40), align 8
  %9 = icmp eq i64 %7, %8
  br i1 %9, label %12, label %10

10:
  %11 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 6, ptr noundef nonnull @.str.2, i64 noundef %7, i64 noundef %8) #16
  br label %32

12:
  %13 = tail call fastcc i32 @is_aligned(ptr noundef %3, i64 noundef 64) #16
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %15, label %22

15:
  %16 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 8, ptr noundef nonnull @.str.28, i64 noundef 0, i64 noundef 0) #16
  br label %32

17:
  %18 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 20), align 4
  %19 = icmp eq ptr %18, null
  br i1 %19, label %20, label %22

20:
  %21 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 6, ptr noundef nonnull @.str.29, i64 noundef 0, i64 noundef 0) #16
  br label %32

22:
  %23 = phi ptr [ %18, %17 ], [ %3, %12 ]
  %24 = getelementptr inbounds nuw i8, ptr %0, i32 80
  %25 = load i32, ptr %24, align 8
  %26 = icmp ne i32 %25, 0
  %27 = zext i1 %26 to i32
  %28 = tail call fastcc i32 @are_our_weights(ptr noundef nonnull %23, i32 noundef %27) #16
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %30, label %32

30:
  %31 = tail call fastcc i32 @refuse(ptr noundef %0, i32 noundef 6, ptr noundef nonnull @.str.30, i64 noundef 0, i64 noundef 0) #16
  br label %32

32:
  %33 = phi i32 [ 6, %10 ], [ 6, %20 ], [ 6, %30 ], [ 8, %15 ], [ 0, %22 ]
  ret i32 %33
}

define internal fastcc range(i32 0, 2) i32 @same_text(ptr noundef nonnull readonly captures(none) %0, ptr noundef readonly captures(none) %1) unnamed_addr #10 {
  %3 = load i8, ptr %0, align 1
  %4 = icmp eq i8 %3, 0
  br i1 %4, label %16, label %5

5:
  %6 = phi i8 [ %14, %11 ], [ %3, %2 ]
  %7 = phi ptr [ %13, %11 ], [ %1, %2 ]
  %8 = phi ptr [ %12, %11 ], [ %0, %2 ]
  %9 = load i8, ptr %7, align 1
  %10 = icmp eq i8 %6, %9
  br i1 %10, label %11, label %16

11:
  %12 = getelementptr inbounds nuw i8, ptr %8, i32 1
  %13 = getelementptr inbounds nuw i8, ptr %7, i32 1
  %14 = load i8, ptr %12, align 1
  %15 = icmp eq i8 %14, 0
  br i1 %15, label %16, label %5

16:
  %17 = phi ptr [ %1, %2 ], [ %13, %11 ], [ %7, %5 ]
  %18 = phi i8 [ 0, %2 ], [ 0, %11 ], [ %6, %5 ]
  %19 = load i8, ptr %17, align 1
  %20 = icmp eq i8 %18, %19
  %21 = zext i1 %20 to i32
  ret i32 %21
}

declare ptr @bundle_missing_feature(ptr noundef, i32 noundef) local_unnamed_addr #3

define internal fastcc range(i32 0, 2) i32 @are_our_weights(ptr noundef %0, i32 noundef range(i32 0, 2) %1) unnamed_addr #1 {
  %3 = alloca [32 x i8], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #15
  %4 = tail call fastcc i32 @same_bytes(ptr noundef %0, ptr noundef nonnull @are_our_weights.magic, i64 noundef 8) #16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %17, label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %8 = tail call fastcc i32 @same_bytes(ptr noundef nonnull %7, ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 96), i64 noundef 32) #16
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %17, label %10

10:
  %11 = icmp eq i32 %1, 0
  br i1 %11, label %17, label %12

12:
  %13 = getelementptr inbounds nuw i8, ptr %0, i32 64
  %14 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 40), align 8
  %15 = add i64 %14, -64
  call void @bundle_sha256(ptr noundef nonnull %13, i64 noundef %15, ptr noundef nonnull %3) #17
  %16 = call fastcc i32 @same_bytes(ptr noundef nonnull %3, ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 96), i64 noundef 32) #16
  br label %17

17:
  %18 = phi i32 [ %16, %12 ], [ 0, %6 ], [ 0, %2 ], [ 1, %10 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #15
  ret i32 %18
}

define internal fastcc range(i32 0, 2) i32 @same_bytes(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef range(i64 0, 256) %2) unnamed_addr #10 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %16, label %8

5:
  %6 = add nuw nsw i64 %9, 1
  %7 = icmp eq i64 %6, %2
  br i1 %7, label %16, label %8

8:
  %9 = phi i64 [ %6, %5 ], [ 0, %3 ]
  %10 = trunc nuw nsw i64 %9 to i32
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 %10
  %12 = load i8, ptr %11, align 1
  %13 = getelementptr inbounds nuw i8, ptr %1, i32 %10
  %14 = load i8, ptr %13, align 1
  %15 = icmp eq i8 %12, %14
  br i1 %15, label %5, label %16

16:
  %17 = phi i32 [ 1, %3 ], [ 1, %5 ], [ 0, %8 ]
  ret i32 %17
}

declare void @bundle_sha256(ptr noundef, i64 noundef, ptr noundef) local_unnamed_addr #3

define internal fastcc void @message_for(ptr dead_on_unwind noalias nonnull writable sret(%struct.bundle_text) align 8 initializes((0, 24)) %0, ptr noundef %1, i64 noundef %2, i32 noundef range(i32 1, 18) %3) unnamed_addr #1 {
  store ptr %1, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i32 4
  store i32 0, ptr %5, align 4
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %7 = icmp eq ptr %1, null
  %8 = select i1 %7, i64 0, i64 %2
  store i64 %8, ptr %6, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i32 16
  store i64 0, ptr %9, align 8
  %10 = getelementptr inbounds nuw ptr, ptr @texts, i32 %3
  %11 = load ptr, ptr %10, align 4
  tail call void @bundle_add(ptr noundef nonnull %0, ptr noundef %11) #17
  ret void
}

declare void @bundle_add(ptr noundef, ptr noundef) local_unnamed_addr #3

declare void @bundle_add_number(ptr noundef, i64 noundef) local_unnamed_addr #3

declare i32 @bundle_gpu_open(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #3

declare ptr @bundle_gpu_base(ptr noundef, i32 noundef) local_unnamed_addr #3

define internal fastcc range(i32 0, 18) i32 @enter_gpu(ptr noundef %0) unnamed_addr #1 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %9, label %5

5:
  %6 = tail call i32 @bundle_gpu_enter(ptr noundef nonnull %3) #17
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %9

8:
  tail call fastcc void @fail_on_gpu(ptr noundef nonnull %0) #16
  br label %9

9:
  %10 = phi i32 [ 17, %8 ], [ 0, %5 ], [ 0, %1 ]
  ret i32 %10
}

define internal fastcc range(i32 0, 18) i32 @copy_state(ptr noundef %0, i32 noundef %1, ptr noundef %2, ptr noundef %3) unnamed_addr #1 {
  %5 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 16), align 8
  %6 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %5, i32 %1
  %7 = getelementptr inbounds nuw i8, ptr %6, i32 80
  %8 = load i64, ptr %7, align 8
  %9 = icmp eq i64 %8, 0
  br i1 %9, label %10, label %13

10:
  %11 = getelementptr inbounds nuw i8, ptr %6, i32 32
  %12 = load i64, ptr %11, align 8
  tail call fastcc void @copy(ptr noundef %2, ptr noundef %3, i64 noundef %12) #16
  br label %21

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %15 = load ptr, ptr %14, align 8
  %16 = getelementptr inbounds nuw i8, ptr %6, i32 32
  %17 = load i64, ptr %16, align 8
  %18 = tail call i32 @bundle_gpu_copy(ptr noundef %15, ptr noundef %2, ptr noundef %3, i64 noundef %17) #17
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %20, label %21

20:
  tail call fastcc void @fail_on_gpu(ptr noundef nonnull %0) #16
  br label %21

21:
  %22 = phi i32 [ 17, %20 ], [ 0, %13 ], [ 0, %10 ]
  ret i32 %22
}

define internal fastcc ptr @state_place(ptr noundef readonly captures(none) %0, i32 noundef %1, i32 noundef %2) unnamed_addr #1 {
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 16), align 8
  %5 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %4, i32 %1
  %6 = getelementptr inbounds nuw i8, ptr %5, i32 80
  %7 = load i64, ptr %6, align 8
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %13, label %9

9:
  %10 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %11 = load ptr, ptr %10, align 8
  %12 = tail call ptr @bundle_gpu_base(ptr noundef %11, i32 noundef 8) #17
  br label %16

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i32 12
  %15 = load ptr, ptr %14, align 4
  br label %16

16:
  %17 = phi ptr [ %12, %9 ], [ %15, %13 ]
  %18 = getelementptr inbounds nuw i8, ptr %5, i32 64
  %19 = getelementptr inbounds nuw i64, ptr %18, i32 %2
  %20 = load i64, ptr %19, align 8
  %21 = trunc i64 %20 to i32
  %22 = getelementptr inbounds nuw i8, ptr %17, i32 %21
  ret ptr %22
}

define internal fastcc noundef i32 @leave_gpu(ptr noundef %0, i32 noundef %1) unnamed_addr #1 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %4 = load ptr, ptr %3, align 8
  %5 = icmp eq ptr %4, null
  br i1 %5, label %11, label %6

6:
  %7 = tail call i32 @bundle_gpu_leave(ptr noundef nonnull %4) #17
  %8 = or i32 %7, %1
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %10, label %11

10:
  tail call fastcc void @fail_on_gpu(ptr noundef nonnull %0) #16
  br label %11

11:
  %12 = phi i32 [ 17, %10 ], [ %1, %6 ], [ %1, %2 ]
  ret i32 %12
}

declare i32 @bundle_gpu_enter(ptr noundef) local_unnamed_addr #3

define internal fastcc void @fail_on_gpu(ptr noundef %0) unnamed_addr #1 {
  %2 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #15
  %3 = getelementptr inbounds nuw i8, ptr %0, i32 36
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %2, ptr noundef nonnull %3, i64 noundef 320, i32 noundef 17) #16
  call void @bundle_add(ptr noundef nonnull %2, ptr noundef nonnull @.str.31) #17
  %4 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %5 = load ptr, ptr %4, align 8
  call void @bundle_gpu_why(ptr noundef %5, ptr noundef nonnull %2) #17
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #15
  ret void
}

declare void @bundle_gpu_why(ptr noundef, ptr noundef) local_unnamed_addr #3

define internal fastcc void @copy(ptr noundef writeonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) unnamed_addr #11 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %5, label %6

5:
  ret void

6:
  %7 = phi i64 [ %12, %6 ], [ 0, %3 ]
  %8 = trunc i64 %7 to i32
  %9 = getelementptr inbounds nuw i8, ptr %1, i32 %8
  %10 = load i8, ptr %9, align 1
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 %8
  store i8 %10, ptr %11, align 1
  %12 = add nuw i64 %7, 1
  %13 = icmp eq i64 %12, %2
  br i1 %13, label %5, label %6
}

declare i32 @bundle_gpu_copy(ptr noundef, ptr noundef, ptr noundef, i64 noundef) local_unnamed_addr #3

declare i32 @bundle_gpu_leave(ptr noundef) local_unnamed_addr #3

declare void @bundle_gpu_close(ptr noundef) local_unnamed_addr #3

declare void @bundle_free(ptr noundef) local_unnamed_addr #3

define internal fastcc range(i32 0, 2) i32 @ranges_overlap(ptr noundef nonnull %0, i64 noundef %1, ptr noundef %2, i64 noundef range(i64 1, 0) %3) unnamed_addr #0 {
  %5 = ptrtoint ptr %0 to i32
  %6 = zext i32 %5 to i64
  %7 = ptrtoint ptr %2 to i32
  %8 = zext i32 %7 to i64
  %9 = add i64 %3, %8
  %10 = icmp ugt i64 %9, %6
  %11 = add i64 %1, %6
  %12 = icmp ugt i64 %11, %8
  %13 = and i1 %12, %10
  %14 = zext i1 %13 to i32
  ret i32 %14
}

define internal fastcc ptr @code_of(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) unnamed_addr #7 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i32 16
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %4, i32 8
  %6 = load ptr, ptr %5, align 4
  %7 = getelementptr inbounds nuw i8, ptr %1, i32 24
  %8 = load i32, ptr %7, align 8
  %9 = getelementptr inbounds nuw %struct.bundle_code, ptr %6, i32 %8
  ret ptr %9
}

define internal fastcc void @bind(ptr noundef captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef readonly captures(none) %3, i32 noundef %4) unnamed_addr #1 {
  %6 = tail call fastcc ptr @operands_of(ptr noundef %0, ptr noundef %1) #16
  %7 = getelementptr inbounds nuw i8, ptr %1, i32 16
  %8 = load i32, ptr %7, align 4
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %13, label %10

10:
  %11 = getelementptr inbounds nuw i8, ptr %1, i32 4
  %12 = getelementptr inbounds nuw i8, ptr %0, i32 20
  br label %14

13:
  ret void

14:
  %15 = phi i32 [ 0, %10 ], [ %53, %52 ]
  %16 = load ptr, ptr %11, align 4
  %17 = getelementptr inbounds nuw %struct.bundle_slot, ptr %16, i32 %15
  %18 = getelementptr inbounds nuw i8, ptr %17, i32 4
  %19 = load i32, ptr %18, align 4
  %20 = load i32, ptr %17, align 8
  switch i32 %20, label %52 [
    i32 0, label %21
    i32 1, label %29
    i32 4, label %37
    i32 5, label %42
  ]

21:
  %22 = getelementptr inbounds nuw ptr, ptr %2, i32 %19
  %23 = load ptr, ptr %22, align 4
  %24 = getelementptr inbounds nuw i8, ptr %17, i32 24
  %25 = load i64, ptr %24, align 8
  %26 = trunc i64 %25 to i32
  %27 = mul i32 %4, %26
  %28 = getelementptr inbounds nuw i8, ptr %23, i32 %27
  br label %49

29:
  %30 = getelementptr inbounds nuw ptr, ptr %3, i32 %19
  %31 = load ptr, ptr %30, align 4
  %32 = getelementptr inbounds nuw i8, ptr %17, i32 24
  %33 = load i64, ptr %32, align 8
  %34 = trunc i64 %33 to i32
  %35 = mul i32 %4, %34
  %36 = getelementptr inbounds nuw i8, ptr %31, i32 %35
  br label %49

37:
  %38 = load ptr, ptr %12, align 4
  %39 = getelementptr inbounds nuw i32, ptr %38, i32 %19
  %40 = load i32, ptr %39, align 4
  %41 = tail call fastcc ptr @state_place(ptr noundef %0, i32 noundef %19, i32 noundef %40) #16
  br label %49

42:
  %43 = load ptr, ptr %12, align 4
  %44 = getelementptr inbounds nuw i32, ptr %43, i32 %19
  %45 = load i32, ptr %44, align 4
  %46 = icmp eq i32 %45, 0
  %47 = zext i1 %46 to i32
  %48 = tail call fastcc ptr @state_place(ptr noundef %0, i32 noundef %19, i32 noundef %47) #16
  br label %49

49:
  %50 = phi ptr [ %48, %42 ], [ %41, %37 ], [ %36, %29 ], [ %28, %21 ]
  %51 = getelementptr inbounds nuw ptr, ptr %6, i32 %15
  store ptr %50, ptr %51, align 4
  br label %52

52:
  %53 = add nuw i32 %15, 1
  %54 = load i32, ptr %7, align 4
  %55 = icmp ult i32 %53, %54
  br i1 %55, label %14, label %13
}

define internal fastcc range(i32 0, 18) i32 @run_steps(ptr noundef %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(address_is_null) %2, ptr noundef %3) unnamed_addr #1 {
  %5 = getelementptr inbounds nuw i8, ptr %1, i32 12
  %6 = load i32, ptr %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %34, label %8

8:
  %9 = icmp eq ptr %2, null
  br label %10

10:
  %11 = phi i32 [ 0, %8 ], [ %30, %29 ]
  %12 = load ptr, ptr %1, align 4
  %13 = getelementptr inbounds nuw %struct.bundle_step, ptr %12, i32 %11
  %14 = tail call fastcc ptr @operands_of(ptr noundef %0, ptr noundef nonnull %1) #16
  %15 = getelementptr inbounds nuw i8, ptr %13, i32 12
  %16 = load i32, ptr %15, align 4
  %17 = getelementptr inbounds nuw ptr, ptr %14, i32 %16
  %18 = tail call fastcc i32 @do_step(ptr noundef %0, ptr noundef %13, ptr noundef nonnull %17) #16
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %33, label %20

20:
  br i1 %9, label %29, label %21

21:
  %22 = getelementptr inbounds nuw i8, ptr %13, i32 20
  %23 = load i32, ptr %22, align 4
  switch i32 %23, label %29 [
    i32 0, label %24
    i32 2, label %24
  ]

24:
  %25 = getelementptr inbounds nuw i8, ptr %13, i32 4
  %26 = load ptr, ptr %25, align 4
  %27 = getelementptr inbounds nuw i8, ptr %13, i32 8
  %28 = load ptr, ptr %27, align 8
  tail call void %2(ptr noundef %3, i32 noundef %11, ptr noundef %26, ptr noundef %28, ptr noundef nonnull %17) #17
  br label %29

29:
  %30 = add nuw i32 %11, 1
  %31 = load i32, ptr %5, align 4
  %32 = icmp ult i32 %30, %31
  br i1 %32, label %10, label %34

33:
  tail call fastcc void @fail_on_gpu(ptr noundef %0) #16
  br label %34

34:
  %35 = phi i32 [ 17, %33 ], [ 0, %4 ], [ 0, %29 ]
  ret i32 %35
}

define internal fastcc i32 @do_step(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2) unnamed_addr #1 {
  %4 = getelementptr inbounds nuw i8, ptr %1, i32 20
  %5 = load i32, ptr %4, align 4
  switch i32 %5, label %14 [
    i32 0, label %6
    i32 1, label %8
  ]

6:
  %7 = load ptr, ptr %1, align 8
  tail call void %7(ptr noundef %2) #17
  br label %18

8:
  %9 = getelementptr inbounds nuw i8, ptr %2, i32 4
  %10 = load ptr, ptr %9, align 4
  %11 = load ptr, ptr %2, align 4
  %12 = getelementptr inbounds nuw i8, ptr %1, i32 40
  %13 = load i64, ptr %12, align 8
  tail call fastcc void @copy(ptr noundef %10, ptr noundef %11, i64 noundef %13) #16
  br label %18

14:
  %15 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %16 = load ptr, ptr %15, align 8
  %17 = tail call i32 @bundle_gpu_work(ptr noundef %16, ptr noundef nonnull %1, ptr noundef %2) #17
  br label %18

18:
  %19 = phi i32 [ %17, %14 ], [ 1, %6 ], [ 1, %8 ]
  ret i32 %19
}

declare i32 @bundle_gpu_work(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #3

declare void @llvm.memset.p0.i32(ptr writeonly captures(none), i8, i32, i1 immarg) #4

define internal fastcc ptr @golden_problem(ptr noundef readonly %0, i64 noundef %1) unnamed_addr #9 {
  %3 = icmp eq ptr %0, null
  br i1 %3, label %32, label %4

4:
  %5 = tail call fastcc i32 @is_aligned(ptr noundef %0, i64 noundef 64) #16
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %32, label %7

7:
  %8 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 76), align 4
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %28, label %10

10:
  %11 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 12), align 4
  br label %12

12:
  %13 = phi i32 [ 0, %10 ], [ %26, %20 ]
  %14 = phi ptr [ %0, %10 ], [ %25, %20 ]
  %15 = phi i64 [ %1, %10 ], [ %23, %20 ]
  %16 = getelementptr inbounds nuw ptr, ptr %11, i32 %13
  %17 = load ptr, ptr %16, align 4
  %18 = tail call fastcc ptr @section_problem(ptr noundef %17, ptr noundef %14, i64 noundef %15) #16
  %19 = icmp eq ptr %18, null
  br i1 %19, label %20, label %32

20:
  %21 = getelementptr inbounds nuw i8, ptr %14, i32 24
  %22 = load i64, ptr %21, align 8
  %23 = sub i64 %15, %22
  %24 = trunc i64 %22 to i32
  %25 = getelementptr inbounds nuw i8, ptr %14, i32 %24
  %26 = add nuw i32 %13, 1
  %27 = icmp eq i32 %26, %8
  br i1 %27, label %28, label %12

28:
  %29 = phi i64 [ %1, %7 ], [ %23, %20 ]
  %30 = icmp eq i64 %29, 0
  %31 = select i1 %30, ptr null, ptr @.str.45
  br label %32

32:
  %33 = phi ptr [ %31, %28 ], [ @.str.44, %2 ], [ @.str.44, %4 ], [ %18, %12 ]
  ret ptr %33
}

define internal fastcc ptr @walk_problem(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) unnamed_addr #5 {
  %3 = getelementptr inbounds nuw i8, ptr %1, i32 32
  %4 = load i32, ptr %3, align 8
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %12, label %6

6:
  %7 = tail call fastcc i32 @level_number(ptr noundef %0) #16
  %8 = shl nuw i32 1, %7
  %9 = and i32 %8, %4
  %10 = icmp eq i32 %9, 0
  %11 = select i1 %10, ptr @.str.51, ptr null
  br label %12

12:
  %13 = phi ptr [ %11, %6 ], [ @.str.50, %2 ]
  ret ptr %13
}

define internal fastcc i32 @run_sections(ptr noundef %0, ptr noundef %1, ptr noundef nonnull %2, i32 noundef range(i32 0, 2) %3, ptr noundef %4) unnamed_addr #1 {
  %6 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 76), align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %10, label %8

8:
  %9 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 12), align 4
  br label %12

10:
  %11 = phi i32 [ 0, %5 ], [ 15, %19 ], [ %17, %21 ]
  ret i32 %11

12:
  %13 = phi i32 [ 0, %8 ], [ %26, %21 ]
  %14 = phi ptr [ %1, %8 ], [ %25, %21 ]
  %15 = getelementptr inbounds nuw ptr, ptr %9, i32 %13
  %16 = load ptr, ptr %15, align 4
  %17 = tail call fastcc i32 @run_cases(ptr noundef %16, ptr noundef %0, ptr noundef %14, ptr noundef %2, i32 noundef %3, ptr noundef %4) #16
  %18 = icmp eq i32 %17, 15
  br i1 %18, label %19, label %21

19:
  %20 = load ptr, ptr %15, align 4
  tail call fastcc void @say_mismatch(ptr noundef %0, ptr noundef %20, ptr noundef %4) #16
  br label %10

21:
  %22 = getelementptr inbounds nuw i8, ptr %14, i32 24
  %23 = load i64, ptr %22, align 8
  %24 = trunc i64 %23 to i32
  %25 = getelementptr inbounds nuw i8, ptr %14, i32 %24
  %26 = add nuw i32 %13, 1
  %27 = icmp eq i32 %17, 0
  %28 = icmp ult i32 %26, %6
  %29 = select i1 %27, i1 %28, i1 false
  br i1 %29, label %12, label %10
}

define internal fastcc ptr @section_problem(ptr noundef readonly captures(none) %0, ptr noundef nonnull readonly captures(none) %1, i64 noundef %2) unnamed_addr #9 {
  %4 = icmp ult i64 %2, 64
  br i1 %4, label %55, label %5

5:
  %6 = tail call fastcc i32 @same_bytes(ptr noundef nonnull %1, ptr noundef nonnull @section_problem.magic, i64 noundef 8) #16
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %55, label %8

8:
  %9 = getelementptr inbounds nuw i8, ptr %1, i32 8
  %10 = load i32, ptr %9, align 8
  %11 = icmp eq i32 %10, 2
  br i1 %11, label %12, label %55

12:
  %13 = getelementptr inbounds nuw i8, ptr %1, i32 16
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i32 16
  %16 = load i64, ptr %15, align 8
  %17 = icmp eq i64 %14, %16
  br i1 %17, label %18, label %55

18:
  %19 = getelementptr inbounds nuw i8, ptr %1, i32 12
  %20 = load i32, ptr %19, align 4
  %21 = icmp ugt i32 %20, 1024
  br i1 %21, label %55, label %22

22:
  %23 = getelementptr inbounds nuw i8, ptr %1, i32 32
  %24 = load i32, ptr %23, align 8
  %25 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 72), align 8
  %26 = lshr i32 %24, %25
  %27 = icmp eq i32 %26, 0
  br i1 %27, label %28, label %55

28:
  %29 = getelementptr inbounds nuw i8, ptr %0, i32 4
  %30 = load ptr, ptr %29, align 4
  %31 = getelementptr inbounds nuw i8, ptr %0, i32 28
  %32 = load i32, ptr %31, align 4
  %33 = tail call fastcc i64 @tensor_bytes(ptr noundef %30, i32 noundef %32) #16
  %34 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %35 = load ptr, ptr %34, align 8
  %36 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %37 = load i32, ptr %36, align 8
  %38 = tail call fastcc i64 @tensor_bytes(ptr noundef %35, i32 noundef %37) #16
  %39 = add i64 %38, %33
  %40 = tail call fastcc i64 @recorded_bytes(ptr noundef nonnull %1, ptr noundef nonnull %0, i32 noundef %25) #16
  %41 = add i64 %39, %40
  %42 = shl i32 %37, 4
  %43 = zext i32 %42 to i64
  %44 = tail call fastcc i64 @padded(i64 noundef %43) #16
  %45 = add i64 %44, 64
  %46 = zext nneg i32 %20 to i64
  %47 = mul i64 %41, %46
  %48 = add i64 %45, %47
  %49 = getelementptr inbounds nuw i8, ptr %1, i32 24
  %50 = load i64, ptr %49, align 8
  %51 = icmp ne i64 %50, %48
  %52 = icmp ult i64 %2, %48
  %53 = or i1 %51, %52
  %54 = select i1 %53, ptr @.str.49, ptr null
  br label %55

55:
  %56 = phi ptr [ %54, %28 ], [ @.str.46, %3 ], [ @.str.47, %8 ], [ @.str.46, %5 ], [ @.str.47, %12 ], [ @.str.48, %22 ], [ @.str.48, %18 ]
  ret ptr %56
}

define internal fastcc i64 @recorded_bytes(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i32 noundef %2) unnamed_addr #9 {
  %4 = icmp eq i32 %2, 0
  br i1 %4, label %10, label %5

5:
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %7 = load i32, ptr %6, align 8
  %8 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 8), align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i32 24
  br label %12

10:
  %11 = phi i64 [ 0, %3 ], [ %27, %26 ]
  ret i64 %11

12:
  %13 = phi i32 [ 0, %5 ], [ %28, %26 ]
  %14 = phi i64 [ 0, %5 ], [ %27, %26 ]
  %15 = shl nuw i32 1, %13
  %16 = and i32 %7, %15
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %26, label %18

18:
  %19 = getelementptr inbounds nuw %struct.bundle_level, ptr %8, i32 %13
  %20 = getelementptr inbounds nuw i8, ptr %19, i32 8
  %21 = load ptr, ptr %20, align 4
  %22 = load i32, ptr %9, align 8
  %23 = getelementptr inbounds nuw %struct.bundle_code, ptr %21, i32 %22
  %24 = tail call fastcc i64 @kernel_bytes(ptr noundef %23) #16
  %25 = add i64 %24, %14
  br label %26

26:
  %27 = phi i64 [ %25, %18 ], [ %14, %12 ]
  %28 = add nuw i32 %13, 1
  %29 = icmp eq i32 %28, %2
  br i1 %29, label %10, label %12
}

define internal fastcc i64 @kernel_bytes(ptr noundef readonly captures(none) %0) unnamed_addr #9 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i32 16
  %3 = load i32, ptr %2, align 4
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %8, label %5

5:
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 4
  %7 = load ptr, ptr %6, align 4
  br label %14

8:
  %9 = phi i64 [ 0, %1 ], [ %33, %32 ]
  %10 = getelementptr inbounds nuw i8, ptr %0, i32 28
  %11 = load i32, ptr %10, align 4
  %12 = zext i32 %11 to i64
  %13 = mul i64 %9, %12
  ret i64 %13

14:
  %15 = phi i64 [ 0, %5 ], [ %33, %32 ]
  %16 = phi i32 [ 0, %5 ], [ %34, %32 ]
  %17 = getelementptr inbounds nuw %struct.bundle_slot, ptr %7, i32 %16
  %18 = getelementptr inbounds nuw i8, ptr %17, i32 12
  %19 = load i32, ptr %18, align 4
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %32, label %21

21:
  %22 = getelementptr inbounds nuw i8, ptr %17, i32 8
  %23 = load i32, ptr %22, align 8
  %24 = tail call fastcc i64 @item_size(i32 noundef %23) #16
  %25 = getelementptr inbounds nuw i8, ptr %17, i32 24
  %26 = load i64, ptr %25, align 8
  %27 = udiv i64 %26, %24
  %28 = tail call i64 @llvm.umin.i64(i64 %27, i64 256)
  %29 = mul nuw nsw i64 %28, %24
  %30 = tail call fastcc i64 @padded(i64 noundef %29) #16
  %31 = add i64 %30, %15
  br label %32

32:
  %33 = phi i64 [ %31, %21 ], [ %15, %14 ]
  %34 = add nuw i32 %16, 1
  %35 = icmp eq i32 %34, %3
  br i1 %35, label %8, label %14
}

define internal fastcc range(i64 0, 256) i64 @item_size(i32 noundef %0) unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr @item_size.sizes, i32 %0
  %3 = load i8, ptr %2, align 1
  %4 = zext i8 %3 to i64
  ret i64 %4
}

define internal fastcc range(i32 -107374182, 107374183) i32 @level_number(ptr noundef readonly captures(none) %0) unnamed_addr #5 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i32 16
  %3 = load ptr, ptr %2, align 8
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 8), align 8
  %5 = ptrtoint ptr %3 to i32
  %6 = ptrtoint ptr %4 to i32
  %7 = sub i32 %5, %6
  %8 = sdiv exact i32 %7, 20
  ret i32 %8
}

define internal fastcc i32 @run_cases(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2, ptr noundef nonnull %3, i32 noundef range(i32 0, 2) %4, ptr noundef %5) unnamed_addr #1 {
  %7 = alloca %struct.golden_run, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #15
  %8 = getelementptr inbounds nuw i8, ptr %2, i32 64
  %9 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %10 = load i32, ptr %9, align 8
  %11 = shl i32 %10, 4
  %12 = zext i32 %11 to i64
  %13 = tail call fastcc i64 @padded(i64 noundef %12) #16
  %14 = trunc i64 %13 to i32
  %15 = getelementptr inbounds nuw i8, ptr %8, i32 %14
  store ptr %15, ptr %7, align 8
  %16 = getelementptr inbounds nuw i8, ptr %7, i32 4
  store ptr %8, ptr %16, align 4
  %17 = getelementptr inbounds nuw i8, ptr %7, i32 8
  store ptr %3, ptr %17, align 8
  %18 = getelementptr inbounds nuw i8, ptr %7, i32 12
  %19 = getelementptr inbounds nuw i8, ptr %0, i32 28
  %20 = load i32, ptr %19, align 4
  %21 = getelementptr inbounds nuw ptr, ptr %3, i32 %20
  store ptr %21, ptr %18, align 4
  %22 = getelementptr inbounds nuw i8, ptr %7, i32 16
  %23 = tail call fastcc i32 @level_number(ptr noundef %1) #16
  %24 = tail call fastcc i64 @recorded_bytes(ptr noundef %2, ptr noundef %0, i32 noundef %23) #16
  store i64 %24, ptr %22, align 8
  %25 = getelementptr inbounds nuw i8, ptr %7, i32 24
  %26 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i32 72), align 8
  %27 = tail call fastcc i64 @recorded_bytes(ptr noundef %2, ptr noundef %0, i32 noundef %26) #16
  store i64 %27, ptr %25, align 8
  %28 = getelementptr inbounds nuw i8, ptr %7, i32 32
  store i32 %4, ptr %28, align 8
  %29 = getelementptr inbounds nuw i8, ptr %7, i32 36
  store i32 0, ptr %29, align 4
  %30 = icmp eq i32 %10, 0
  br i1 %30, label %39, label %31

31:
  %32 = add i32 %20, %10
  %33 = shl i32 %32, 2
  %34 = zext i32 %33 to i64
  %35 = tail call fastcc i64 @padded(i64 noundef %34) #16
  %36 = trunc i64 %35 to i32
  %37 = getelementptr inbounds nuw i8, ptr %3, i32 %36
  %38 = getelementptr inbounds nuw i8, ptr %0, i32 8
  br label %45

39:
  %40 = tail call fastcc i32 @reset(ptr noundef %1) #16
  %41 = getelementptr inbounds nuw i8, ptr %2, i32 12
  %42 = icmp eq i32 %40, 0
  br i1 %42, label %43, label %63

43:
  %44 = getelementptr inbounds nuw i8, ptr %5, i32 4
  br label %59

45:
  %46 = phi ptr [ %37, %31 ], [ %55, %45 ]
  %47 = phi i32 [ 0, %31 ], [ %56, %45 ]
  %48 = getelementptr inbounds nuw ptr, ptr %21, i32 %47
  store ptr %46, ptr %48, align 4
  %49 = load ptr, ptr %38, align 8
  %50 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %49, i32 %47
  %51 = getelementptr inbounds nuw i8, ptr %50, i32 32
  %52 = load i64, ptr %51, align 8
  %53 = tail call fastcc i64 @padded(i64 noundef %52) #16
  %54 = trunc i64 %53 to i32
  %55 = getelementptr inbounds nuw i8, ptr %46, i32 %54
  %56 = add nuw i32 %47, 1
  %57 = load i32, ptr %9, align 8
  %58 = icmp ult i32 %56, %57
  br i1 %58, label %45, label %39

59:
  %60 = phi i32 [ 0, %43 ], [ %72, %70 ]
  %61 = load i32, ptr %41, align 4
  %62 = icmp ult i32 %60, %61
  br i1 %62, label %70, label %66

63:
  %64 = phi i32 [ %40, %39 ], [ %71, %70 ]
  %65 = tail call fastcc i32 @reset(ptr noundef %1) #16
  br label %68

66:
  %67 = tail call fastcc i32 @reset(ptr noundef %1) #16
  br label %68

68:
  %69 = phi i32 [ %67, %66 ], [ %64, %63 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #15
  ret i32 %69

70:
  store i32 %60, ptr %44, align 4
  %71 = call fastcc i32 @run_case(ptr noundef %0, ptr noundef %1, ptr noundef %7, ptr noundef %5) #16
  %72 = add nuw i32 %60, 1
  %73 = icmp eq i32 %71, 0
  br i1 %73, label %59, label %63
}

define internal fastcc void @say_mismatch(ptr noundef %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2) unnamed_addr #1 {
  %4 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #15
  %5 = getelementptr inbounds nuw i8, ptr %0, i32 36
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %4, ptr noundef nonnull %5, i64 noundef 320, i32 noundef 15) #16
  %6 = load ptr, ptr %1, align 8
  %7 = load i8, ptr %6, align 1
  %8 = icmp eq i8 %7, 0
  br i1 %8, label %11, label %9

9:
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.52) #17
  %10 = load ptr, ptr %1, align 8
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef %10) #17
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.34) #17
  br label %11

11:
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.53) #17
  %12 = getelementptr inbounds nuw i8, ptr %2, i32 4
  %13 = load i32, ptr %12, align 4
  %14 = zext i32 %13 to i64
  call void @bundle_add_number(ptr noundef nonnull %4, i64 noundef %14) #17
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.54) #17
  %15 = getelementptr inbounds nuw i8, ptr %2, i32 12
  %16 = load ptr, ptr %15, align 4
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef %16) #17
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.33) #17
  %17 = getelementptr inbounds nuw i8, ptr %2, i32 8
  %18 = load ptr, ptr %17, align 8
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef %18) #17
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.55) #17
  %19 = getelementptr inbounds nuw i8, ptr %2, i32 16
  %20 = load i64, ptr %19, align 8
  call void @bundle_add_number(ptr noundef nonnull %4, i64 noundef %20) #17
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #15
  ret void
}

define internal fastcc i32 @run_case(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef nonnull captures(none) %2, ptr noundef %3) unnamed_addr #1 {
  %5 = alloca %struct.kernel_walk, align 4
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 28
  %7 = load i32, ptr %6, align 4
  %8 = icmp eq i32 %7, 0
  %9 = load ptr, ptr %2, align 8
  br i1 %8, label %13, label %10

10:
  %11 = getelementptr inbounds nuw i8, ptr %2, i32 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i32 4
  br label %53

13:
  %14 = phi ptr [ %9, %4 ], [ %65, %53 ]
  %15 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %18 = load i32, ptr %17, align 8
  %19 = tail call fastcc i64 @tensor_bytes(ptr noundef %16, i32 noundef %18) #16
  %20 = trunc i64 %19 to i32
  %21 = getelementptr inbounds nuw i8, ptr %14, i32 %20
  store ptr %21, ptr %2, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #15
  %22 = tail call fastcc ptr @code_of(ptr noundef %1, ptr noundef nonnull %0) #16
  store ptr %22, ptr %5, align 4
  %23 = getelementptr inbounds nuw i8, ptr %5, i32 4
  %24 = getelementptr inbounds nuw i8, ptr %2, i32 16
  %25 = load i64, ptr %24, align 8
  %26 = trunc i64 %25 to i32
  %27 = getelementptr inbounds nuw i8, ptr %21, i32 %26
  store ptr %27, ptr %23, align 4
  %28 = getelementptr inbounds nuw i8, ptr %5, i32 8
  store ptr %3, ptr %28, align 4
  %29 = getelementptr inbounds nuw i8, ptr %5, i32 12
  store i32 1, ptr %29, align 4
  %30 = getelementptr inbounds nuw i8, ptr %2, i32 8
  %31 = load ptr, ptr %30, align 8
  %32 = getelementptr inbounds nuw i8, ptr %2, i32 12
  %33 = load ptr, ptr %32, align 4
  %34 = getelementptr inbounds nuw i8, ptr %2, i32 32
  %35 = load i32, ptr %34, align 8
  %36 = icmp eq i32 %35, 0
  %37 = select i1 %36, ptr null, ptr @look
  %38 = call fastcc i32 @execute(ptr noundef nonnull %0, ptr noundef %1, ptr noundef %31, ptr noundef %33, ptr noundef %37, ptr noundef nonnull %5) #16
  %39 = getelementptr inbounds nuw i8, ptr %2, i32 24
  %40 = load i64, ptr %39, align 8
  %41 = load ptr, ptr %2, align 8
  %42 = trunc i64 %40 to i32
  %43 = getelementptr inbounds nuw i8, ptr %41, i32 %42
  store ptr %43, ptr %2, align 8
  %44 = icmp eq i32 %38, 0
  %45 = load i32, ptr %29, align 4
  %46 = icmp ne i32 %45, 0
  %47 = select i1 %44, i1 %46, i1 false
  br i1 %47, label %48, label %69

48:
  %49 = load i32, ptr %17, align 8
  %50 = icmp eq i32 %49, 0
  br i1 %50, label %103, label %51

51:
  %52 = getelementptr inbounds nuw i8, ptr %2, i32 4
  br label %71

53:
  %54 = phi ptr [ %9, %10 ], [ %65, %53 ]
  %55 = phi i32 [ 0, %10 ], [ %66, %53 ]
  %56 = load ptr, ptr %11, align 8
  %57 = getelementptr inbounds nuw ptr, ptr %56, i32 %55
  store ptr %54, ptr %57, align 4
  %58 = load ptr, ptr %12, align 4
  %59 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %58, i32 %55
  %60 = getelementptr inbounds nuw i8, ptr %59, i32 32
  %61 = load i64, ptr %60, align 8
  %62 = tail call fastcc i64 @padded(i64 noundef %61) #16
  %63 = load ptr, ptr %2, align 8
  %64 = trunc i64 %62 to i32
  %65 = getelementptr inbounds nuw i8, ptr %63, i32 %64
  store ptr %65, ptr %2, align 8
  %66 = add nuw i32 %55, 1
  %67 = load i32, ptr %6, align 4
  %68 = icmp ult i32 %66, %67
  br i1 %68, label %53, label %13

69:
  %70 = select i1 %44, i32 15, i32 %38
  br label %103

71:
  %72 = phi i32 [ 0, %51 ], [ %100, %95 ]
  %73 = phi ptr [ %14, %51 ], [ %99, %95 ]
  %74 = load ptr, ptr %15, align 8
  %75 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %74, i32 %72
  %76 = getelementptr inbounds nuw i8, ptr %75, i32 32
  %77 = load i64, ptr %76, align 8
  %78 = getelementptr inbounds nuw i8, ptr %75, i32 48
  %79 = load i32, ptr %78, align 8
  %80 = zext i32 %79 to i64
  %81 = udiv i64 %77, %80
  %82 = getelementptr inbounds nuw i8, ptr %75, i32 44
  %83 = load i32, ptr %82, align 4
  %84 = load ptr, ptr %32, align 4
  %85 = getelementptr inbounds nuw ptr, ptr %84, i32 %72
  %86 = load ptr, ptr %85, align 4
  %87 = load ptr, ptr %52, align 4
  %88 = getelementptr inbounds nuw %struct.golden_bound, ptr %87, i32 %72
  %89 = call fastcc i32 @agree(i32 noundef %83, ptr noundef %86, ptr noundef %73, i64 noundef %81, i64 noundef %81, ptr noundef %88, ptr noundef %3) #16
  %90 = icmp eq i32 %89, 0
  br i1 %90, label %91, label %95

91:
  %92 = load ptr, ptr %75, align 8
  %93 = getelementptr inbounds nuw i8, ptr %3, i32 8
  store ptr %92, ptr %93, align 8
  %94 = getelementptr inbounds nuw i8, ptr %3, i32 12
  store ptr @.str.36, ptr %94, align 4
  br label %103

95:
  %96 = load i64, ptr %76, align 8
  %97 = call fastcc i64 @padded(i64 noundef %96) #16
  %98 = trunc i64 %97 to i32
  %99 = getelementptr inbounds nuw i8, ptr %73, i32 %98
  %100 = add nuw i32 %72, 1
  %101 = load i32, ptr %17, align 8
  %102 = icmp ult i32 %100, %101
  br i1 %102, label %71, label %103

103:
  %104 = phi i32 [ %70, %69 ], [ 15, %91 ], [ 0, %48 ], [ 0, %95 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #15
  ret i32 %104
}

define internal void @look(ptr noundef captures(none) %0, i32 noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef readonly captures(none) %4) #12 {
  %6 = load ptr, ptr %0, align 4
  %7 = load ptr, ptr %6, align 4
  %8 = getelementptr inbounds nuw %struct.bundle_step, ptr %7, i32 %1
  %9 = getelementptr inbounds nuw i8, ptr %8, i32 16
  %10 = load i32, ptr %9, align 8
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %17, label %12

12:
  %13 = getelementptr inbounds nuw i8, ptr %8, i32 12
  %14 = getelementptr inbounds nuw i8, ptr %0, i32 12
  %15 = getelementptr inbounds nuw i8, ptr %0, i32 4
  %16 = getelementptr inbounds nuw i8, ptr %0, i32 8
  br label %18

17:
  ret void

18:
  %19 = phi i32 [ %10, %12 ], [ %63, %62 ]
  %20 = phi i32 [ 0, %12 ], [ %64, %62 ]
  %21 = load ptr, ptr %0, align 4
  %22 = getelementptr inbounds nuw i8, ptr %21, i32 4
  %23 = load ptr, ptr %22, align 4
  %24 = load i32, ptr %13, align 4
  %25 = getelementptr inbounds nuw %struct.bundle_slot, ptr %23, i32 %24
  %26 = getelementptr inbounds nuw %struct.bundle_slot, ptr %25, i32 %20
  %27 = getelementptr inbounds nuw i8, ptr %26, i32 12
  %28 = load i32, ptr %27, align 4
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %62, label %30

30:
  %31 = getelementptr inbounds nuw i8, ptr %26, i32 8
  %32 = load i32, ptr %31, align 8
  %33 = tail call fastcc i64 @item_size(i32 noundef %32) #16
  %34 = getelementptr inbounds nuw i8, ptr %26, i32 24
  %35 = load i64, ptr %34, align 8
  %36 = udiv i64 %35, %33
  %37 = tail call i64 @llvm.umin.i64(i64 %36, i64 256)
  %38 = load i32, ptr %14, align 4
  %39 = icmp eq i32 %38, 0
  br i1 %39, label %55, label %40

40:
  %41 = getelementptr inbounds nuw ptr, ptr %4, i32 %20
  %42 = load ptr, ptr %41, align 4
  %43 = load ptr, ptr %15, align 4
  %44 = icmp ugt i32 %32, 6
  %45 = zext i1 %44 to i32
  %46 = getelementptr inbounds nuw %struct.golden_bound, ptr @kernel_bounds, i32 %45
  %47 = load ptr, ptr %16, align 4
  %48 = tail call fastcc i32 @agree(i32 noundef %32, ptr noundef %42, ptr noundef %43, i64 noundef %37, i64 noundef %36, ptr noundef nonnull %46, ptr noundef %47) #16
  %49 = icmp eq i32 %48, 0
  br i1 %49, label %50, label %55

50:
  store i32 0, ptr %14, align 4
  %51 = load ptr, ptr %16, align 4
  %52 = getelementptr inbounds nuw i8, ptr %51, i32 8
  store ptr %2, ptr %52, align 8
  %53 = load ptr, ptr %16, align 4
  %54 = getelementptr inbounds nuw i8, ptr %53, i32 12
  store ptr %3, ptr %54, align 4
  br label %55

55:
  %56 = mul nuw nsw i64 %37, %33
  %57 = tail call fastcc i64 @padded(i64 noundef %56) #16
  %58 = load ptr, ptr %15, align 4
  %59 = trunc i64 %57 to i32
  %60 = getelementptr inbounds nuw i8, ptr %58, i32 %59
  store ptr %60, ptr %15, align 4
  %61 = load i32, ptr %9, align 8
  br label %62

62:
  %63 = phi i32 [ %19, %18 ], [ %61, %55 ]
  %64 = add nuw i32 %20, 1
  %65 = icmp ult i32 %64, %63
  br i1 %65, label %18, label %17
}

define internal fastcc range(i32 0, 2) i32 @agree(i32 noundef %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, i64 noundef %3, i64 noundef %4, ptr noundef readonly captures(none) %5, ptr noundef captures(none) %6) unnamed_addr #11 {
  %8 = tail call fastcc i64 @item_size(i32 noundef %0) #16
  %9 = icmp eq i64 %3, 0
  br i1 %9, label %72, label %19

10:
  %11 = load double, ptr %5, align 8
  %12 = fmul double %30, %11
  %13 = getelementptr inbounds nuw i8, ptr %5, i32 8
  %14 = load double, ptr %13, align 8
  %15 = fadd double %12, %14
  %16 = icmp eq i64 %3, %4
  %17 = getelementptr inbounds nuw i8, ptr %6, i32 40
  %18 = icmp ugt i32 %0, 6
  br label %33

19:
  %20 = phi double [ %30, %19 ], [ 0.000000e+00, %7 ]
  %21 = phi i64 [ %31, %19 ], [ 0, %7 ]
  %22 = mul i64 %21, %8
  %23 = trunc i64 %22 to i32
  %24 = getelementptr inbounds nuw i8, ptr %2, i32 %23
  %25 = tail call fastcc double @value_of(i32 noundef %0, ptr noundef %24) #16
  %26 = tail call fastcc double @magnitude(double noundef %25) #16
  %27 = fcmp ogt double %26, %20
  %28 = fcmp one double %26, 0x7FF0000000000000
  %29 = and i1 %27, %28
  %30 = select i1 %29, double %26, double %20
  %31 = add nuw i64 %21, 1
  %32 = icmp eq i64 %31, %3
  br i1 %32, label %10, label %19

33:
  %34 = phi i64 [ 0, %10 ], [ %70, %69 ]
  br i1 %16, label %38, label %35

35:
  %36 = mul i64 %34, %4
  %37 = udiv i64 %36, %3
  br label %38

38:
  %39 = phi i64 [ %37, %35 ], [ %34, %33 ]
  %40 = mul i64 %39, %8
  %41 = trunc i64 %40 to i32
  %42 = getelementptr inbounds nuw i8, ptr %1, i32 %41
  %43 = mul i64 %34, %8
  %44 = trunc i64 %43 to i32
  %45 = getelementptr inbounds nuw i8, ptr %2, i32 %44
  %46 = tail call fastcc i32 @same_bytes(ptr noundef %42, ptr noundef %45, i64 noundef %8) #16
  %47 = icmp eq i32 %46, 0
  br i1 %47, label %48, label %69

48:
  %49 = tail call fastcc double @value_of(i32 noundef %0, ptr noundef %42) #16
  %50 = tail call fastcc double @value_of(i32 noundef %0, ptr noundef %45) #16
  %51 = fsub double %49, %50
  %52 = tail call fastcc double @magnitude(double noundef %51) #16
  %53 = fcmp uno double %49, 0.000000e+00
  %54 = fcmp uno double %50, 0.000000e+00
  %55 = and i1 %53, %54
  br i1 %55, label %69, label %56

56:
  %57 = load double, ptr %17, align 8
  %58 = fcmp ugt double %52, %57
  br i1 %58, label %59, label %60

59:
  store double %52, ptr %17, align 8
  br label %60

60:
  %61 = fcmp ole double %52, %15
  %62 = fcmp ogt double %52, 0.000000e+00
  %63 = or i1 %18, %62
  %64 = and i1 %61, %63
  br i1 %64, label %69, label %65

65:
  %66 = getelementptr inbounds nuw i8, ptr %6, i32 16
  store i64 %39, ptr %66, align 8
  %67 = getelementptr inbounds nuw i8, ptr %6, i32 24
  store double %49, ptr %67, align 8
  %68 = getelementptr inbounds nuw i8, ptr %6, i32 32
  store double %50, ptr %68, align 8
  br label %72

69:
  %70 = add nuw i64 %34, 1
  %71 = icmp eq i64 %70, %3
  br i1 %71, label %72, label %33

72:
  %73 = phi i32 [ 0, %65 ], [ 1, %7 ], [ 1, %69 ]
  ret i32 %73
}

define internal fastcc noundef double @magnitude(double noundef %0) unnamed_addr #0 {
  %2 = fcmp olt double %0, 0.000000e+00
  %3 = fneg double %0
  %4 = select i1 %2, double %3, double %0
  ret double %4
}

define internal fastcc double @value_of(i32 noundef %0, ptr noundef readonly captures(none) %1) unnamed_addr #10 {
  %3 = tail call fastcc i64 @item_size(i32 noundef %0) #16
  %4 = icmp eq i64 %3, 0
  br i1 %4, label %5, label %7

5:
  %6 = phi i64 [ 0, %2 ], [ %16, %7 ]
  switch i32 %0, label %48 [
    i32 1, label %19
    i32 3, label %22
    i32 5, label %25
    i32 6, label %28
    i32 7, label %36
    i32 8, label %39
    i32 9, label %39
    i32 10, label %46
  ]

7:
  %8 = phi i64 [ %16, %7 ], [ 0, %2 ]
  %9 = phi i64 [ %17, %7 ], [ 0, %2 ]
  %10 = trunc nuw nsw i64 %9 to i32
  %11 = getelementptr inbounds nuw i8, ptr %1, i32 %10
  %12 = load i8, ptr %11, align 1
  %13 = zext i8 %12 to i64
  %14 = shl nuw nsw i64 %9, 3
  %15 = shl i64 %13, %14
  %16 = or i64 %15, %8
  %17 = add nuw nsw i64 %9, 1
  %18 = icmp eq i64 %17, %3
  br i1 %18, label %5, label %7

19:
  %20 = trunc i64 %6 to i8
  %21 = sitofp i8 %20 to double
  br label %51

22:
  %23 = trunc i64 %6 to i16
  %24 = sitofp i16 %23 to double
  br label %51

25:
  %26 = trunc i64 %6 to i32
  %27 = sitofp i32 %26 to double
  br label %51

28:
  %29 = lshr i64 %6, 32
  %30 = trunc nuw i64 %29 to i32
  %31 = sitofp i32 %30 to double
  %32 = fmul double %31, 0x41F0000000000000
  %33 = trunc i64 %6 to i32
  %34 = uitofp i32 %33 to double
  %35 = fadd double %32, %34
  br label %51

36:
  %37 = trunc i64 %6 to i32
  %38 = tail call fastcc double @half_value(i32 noundef %37) #16
  br label %51

39:
  %40 = icmp eq i32 %0, 8
  %41 = shl i64 %6, 16
  %42 = select i1 %40, i64 %41, i64 %6
  %43 = trunc i64 %42 to i32
  %44 = bitcast i32 %43 to float
  %45 = fpext float %44 to double
  br label %51

46:
  %47 = bitcast i64 %6 to double
  br label %51

48:
  %49 = trunc i64 %6 to i32
  %50 = uitofp i32 %49 to double
  br label %51

51:
  %52 = phi double [ %50, %48 ], [ %21, %19 ], [ %24, %22 ], [ %27, %25 ], [ %35, %28 ], [ %38, %36 ], [ %45, %39 ], [ %47, %46 ]
  ret double %52
}

define internal fastcc double @half_value(i32 noundef %0) unnamed_addr #13 {
  %2 = lshr i32 %0, 10
  %3 = and i32 %2, 31
  %4 = and i32 %0, 1023
  switch i32 %3, label %12 [
    i32 31, label %7
    i32 0, label %5
  ]

5:
  %6 = uitofp nneg i32 %4 to double
  br label %16

7:
  %8 = icmp eq i32 %4, 0
  %9 = icmp ult i32 %0, 32768
  %10 = select i1 %9, double 0x7FF0000000000000, double 0xFFF0000000000000
  %11 = select i1 %8, double %10, double 0x7FF8000000000000
  br label %40

12:
  %13 = or disjoint i32 %4, 1024
  %14 = uitofp nneg i32 %13 to double
  %15 = icmp samesign ult i32 %3, 25
  br i1 %15, label %16, label %19

16:
  %17 = phi double [ %6, %5 ], [ %14, %12 ]
  %18 = tail call i32 @llvm.umax.i32(i32 %3, i32 1)
  br label %21

19:
  %20 = icmp eq i32 %3, 25
  br i1 %20, label %27, label %34

21:
  %22 = phi i32 [ %25, %21 ], [ %18, %16 ]
  %23 = phi double [ %24, %21 ], [ 1.000000e+00, %16 ]
  %24 = fmul double %23, 5.000000e-01
  %25 = add nuw nsw i32 %22, 1
  %26 = icmp eq i32 %25, 25
  br i1 %26, label %27, label %21

27:
  %28 = phi double [ %14, %19 ], [ %17, %21 ], [ %14, %34 ]
  %29 = phi double [ 1.000000e+00, %19 ], [ %24, %21 ], [ %37, %34 ]
  %30 = icmp ult i32 %0, 32768
  %31 = fneg double %28
  %32 = select i1 %30, double %28, double %31
  %33 = fmul double %32, %29
  br label %40

34:
  %35 = phi i32 [ %38, %34 ], [ 25, %19 ]
  %36 = phi double [ %37, %34 ], [ 1.000000e+00, %19 ]
  %37 = fmul double %36, 2.000000e+00
  %38 = add nuw nsw i32 %35, 1
  %39 = icmp eq i32 %38, %3
  br i1 %39, label %27, label %34

40:
  %41 = phi double [ %11, %7 ], [ %33, %27 ]
  ret double %41
}

declare i64 @llvm.umin.i64(i64, i64) #14

declare i32 @llvm.umax.i32(i32, i32) #14

declare i64 @llvm.umax.i64(i64, i64) #14

attributes #0 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none) "no-builtins" }
attributes #1 = { nounwind optsize "no-builtins" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { optsize "no-builtins" }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #5 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(argmem: read) "no-builtins" }
attributes #6 = { mustprogress nofree norecurse nounwind optsize willreturn memory(argmem: readwrite) "no-builtins" }
attributes #7 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #8 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(argmem: readwrite) "no-builtins" }
attributes #9 = { nofree norecurse nosync nounwind optsize memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #10 = { nofree norecurse nosync nounwind optsize memory(argmem: read) "no-builtins" }
attributes #11 = { nofree norecurse nosync nounwind optsize memory(argmem: readwrite) "no-builtins" }
attributes #12 = { nofree norecurse nosync nounwind optsize memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #13 = { nofree norecurse nosync nounwind optsize memory(none) "no-builtins" }
attributes #14 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #15 = { nounwind }
attributes #16 = { nobuiltin optsize "no-builtins" }
attributes #17 = { nobuiltin nounwind optsize "no-builtins" }
